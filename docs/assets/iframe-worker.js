/* Search from the disk: browsers start no Worker for a page that is opened as a file, so a hidden frame does its work. The theme's
   offline plugin knows this file by its name, and then asks no other host for such a script. */
(() => {
  if (location.protocol !== "file:") return;

  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      // Written to, or else Firefox puts an empty document in its place later.
      inside.document.open();
      inside.document.write("<!doctype html><body>");
      inside.document.close();
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = inside.document.createElement("script");
      this.loaded = new Promise((done, failed) => { script.onload = done; script.onerror = failed; });
      script.src = url;
      inside.document.body.append(script);
    }

    postMessage(data) {
      this.loaded.then(() => {
        const inside = this.frame.contentWindow;
        inside.dispatchEvent(new inside.MessageEvent("message", { data }));
      });
    }

    terminate() {
      this.frame.remove();
    }
  };
})();
