// The keys of the heatmap and their list, and what the heatmap, Review and Settle share of buttons, texts and keys.

const WHOLE = -1;
const KEYS = [
  [["↑", "↓"], "sentence before or after"], [["←", "→"], "method before or after"], [["n"], "next finding, and the place to read; where there is none, the next least supported sentence"], [["d"], "decide on the sentence in Review"],
  [["[", "]"], "passage before or after"], [["/"], "search the sources"], [["e"], "edit the sentence"], [["E"], "edit the source sentence that is shown with it"], [["Home", "End"], "first or last sentence"], [["?"], "these keys"],
];

function keysDialog(listed = KEYS) {
  const rows = listed.map(([keys, words]) => el("tr", {}, el("th", { scope: "row" }, ...keys.flatMap((k) => [el("kbd", {}, k), " "])), el("td", {}, words)));
  const close = el("button", { type: "button", class: "next" }, "Close");
  const dialog = el("dialog", { class: "keys", "aria-label": "Keys" }, el("h2", {}, "Keys"), el("table", {}, el("tbody", {}, ...rows)), el("p", {}, "Headings count in the numbers of sentences; they are not judged."), close);
  close.addEventListener("click", () => dialog.close());
  return dialog;
}

// A button that a key presses, too.
function keyButton(key, words, act, more = {}) {
  const button = el("button", { type: "button", class: "next", "aria-keyshortcuts": key, ...more }, el("kbd", {}, key), ` ${words}`);
  button.addEventListener("click", act);
  return button;
}

function helpButton(view) {
  const button = el("button", { type: "button", class: "help", "aria-label": "Keys", "aria-keyshortcuts": "?" }, "?");
  button.addEventListener("click", () => view.keys.showModal());
  return button;
}

// Below the sentences, for a decision on all of them.
function wholeAnswer(pane, go) {
  const option = el("span", { class: "s whole", role: "option", "data-i": WHOLE, tabindex: "-1" });
  option.addEventListener("click", go);
  pane.append(option);
  return option;
}

function twoTexts(view, below = [], beside = []) {
  const section = (title, ...nodes) => el("section", {}, el("h2", { class: "hidden" }, title), ...nodes);
  return el("div", { class: "cols" }, section("Response", view.response.pane, ...below), section("Sources", view.context.pane, ...beside));
}

// Whether a key is typed into something, or is of the browser or of another page.
function isElsewhere(view, event, fields) {
  if (event.ctrlKey || event.metaKey || event.altKey || !view.root.isConnected || !view.data) return true;
  const target = event.composedPath()[0];
  return target instanceof Element && Boolean(target.closest(`${fields}, textarea, [contenteditable=true], dialog`));
}

function documentKey(view, event) {
  if (!view.keys || isElsewhere(view, event, "input:not([type=range]), select")) return;
  if (event.key === "n") view.next("text");
  else if (view.data.small) return;
  else if (event.key === "d" && view.decide) view.decide();
  else if (event.key === "[") view.stepSource(-1);
  else if (event.key === "]") view.stepSource(1);
  else if (event.key === "/") view.search.input.focus();
  else if (event.key === "e" && view.editor) view.editor.editAnswer.click();
  else if (event.key === "E" && view.editor) view.editor.editSource.click();
  else if (event.key === "?") view.keys.showModal();
  else return;
  event.preventDefault();
}

function walkKey(view, event) {
  const target = event.composedPath()[0];
  const inText = target.closest?.(".s");
  const inStrip = target.closest?.(".cell");
  if (!inText && !inStrip) return;
  const focus = inText ? "text" : "strip";
  const claims = view.claims();
  const at = claims.indexOf(view.sentence);
  const wrap = (k) => (k + view.data.methods.length) % view.data.methods.length;
  const [back, on] = inText ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
  const [before, after] = inText ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
  if (event.key === on) view.choose({ sentence: claims[Math.min(claims.length - 1, at + 1)], focus });
  else if (event.key === back) view.choose({ sentence: claims[Math.max(0, at - 1)], focus });
  else if (event.key === after) view.choose({ method: wrap(view.method + 1), focus });
  else if (event.key === before) view.choose({ method: wrap(view.method - 1), focus });
  else if (event.key === "Home") view.choose({ sentence: claims[0], focus });
  else if (event.key === "End") view.choose({ sentence: claims[claims.length - 1], focus });
  else return;
  event.preventDefault();
}
