// What a reviewer decided and the server has not yet saved: it belongs to its case and its reviewer, and this tab holds it until it
// is saved, also while the server is away or another page stands in its place.

const PATIENCE = 4000;
const heldUnder = (reviewer) => `groundscope review ${reviewer}`;

class Waiting {
  constructor(view) {
    this.view = view;
    this.items = [];
    this.window = crypto.getRandomValues(new Uint32Array(3)).join(".");
  }

  // What is saved waits no longer; what this tab held for the reviewer is sent again.
  renew({ reviewer, acked }) {
    const first = this.reviewer !== reviewer;
    this.reviewer = reviewer;
    this.hold((first ? this.held() : this.items).filter((item) => item.n > acked));
    if (first && this.items.length) this.view.send([...this.items]);
  }

  push(...items) {
    this.hold([...this.items, ...items.map((item) => ({ ...item, case: this.view.data.key, n: this.count(), id: `${this.window}.${this.last}` }))]);
    this.view.send([...this.items]);
  }

  // Of the open case alone.
  get here() {
    return this.items.filter((item) => item.case === this.view.data.key);
  }

  // Rises from one to the next, also after a reload.
  count() {
    this.last = Math.max(Date.now(), (this.last || 0) + 1);
    return this.last;
  }

  // What is not answered is sent again.
  hold(items) {
    this.items = items;
    clearTimeout(this.again);
    if (items.length) this.again = setTimeout(() => this.view.root.isConnected && this.push(), PATIENCE);
    try {
      if (items.length) sessionStorage.setItem(heldUnder(this.reviewer), JSON.stringify(items));
      else sessionStorage.removeItem(heldUnder(this.reviewer));
    } catch {
      // A browser may refuse to hold anything; then the page alone does.
    }
  }

  held() {
    try {
      const items = JSON.parse(sessionStorage.getItem(heldUnder(this.reviewer)));
      return Array.isArray(items) ? items : [];
    } catch {
      return [];
    }
  }
}
