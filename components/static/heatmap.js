// State, keys and layout of the heatmap. One instance per mounted component; a rerun passes new data.

const instances = new WeakMap();
// Whether gold labels are drawn, if a case has them; stays as the user set it.
let showGold = true;
// The method that the user chose last stays when another case opens, until a link names one.
let chosenMethod = "";
let linkedMethod = "";

export default function (component) {
  const { data, parentElement } = component;
  let view = instances.get(parentElement);
  if (!view) {
    view = new Heatmap(parentElement);
    instances.set(parentElement, view);
  }
  view.setStateValue = component.setStateValue;
  view.update(data);
  return () => view.close();
}

class Heatmap {
  constructor(parent) {
    this.root = parent.querySelector(".groundscope") || parent.appendChild(el("div", { class: "groundscope" }));
    this.thresholds = {};
    this.goldStep = 0;
    this.view = "text";
    this.onKey = (event) => this.documentKey(event);
    document.addEventListener("keydown", this.onKey);
  }

  close() {
    document.removeEventListener("keydown", this.onKey);
    linkedMethod = "";
    instances.delete(this.root.parentNode);
  }

  update(data) {
    if (data.version === this.version) return;
    const sameCase = this.data && this.data.caseKey === data.caseKey;
    const before = sameCase ? this.data.methods[this.method] : null;
    if (!sameCase) [this.touched, this.goldStep, this.place] = [false, 0, null];
    this.data = data;
    this.version = data.version;
    data.unitTexts = data.context.flatMap((p) => p.units.map((u) => u.t));
    data.unitPassages = data.context.flatMap((p, k) => p.units.map(() => k));
    // The server still names the method of the link that was followed.
    if (data.start.method !== linkedMethod) [linkedMethod, chosenMethod] = [data.start.method, data.start.method ? "" : chosenMethod];
    this.method = this.openingMethod(this.touched && before ? before.id : chosenMethod || linkedMethod);
    const method = data.methods[this.method];
    const arrived = Boolean(method && method.s && !(before && before.s && before.id === method.id));
    if (!sameCase || (arrived && !this.touched)) this.sentence = this.firstSentence(data.start.sentence);
    if (sameCase) this.renewStrip();
    else this.build();
    this.paint({ scroll: arrived || !sameCase, focus: "none" });
    if (!sameCase && chosenMethod) setLink({ method: chosenMethod });
  }

  // The wanted method; until the user has chosen one and while it is not scored, the first that is.
  openingMethod(wanted) {
    const methods = this.data.methods;
    const index = Math.max(0, methods.findIndex((m) => m.id === wanted));
    if (this.touched || !methods[index] || methods[index].s || !methods[index].busy) return index;
    const scored = methods.findIndex((m) => m.s);
    return scored >= 0 ? scored : index;
  }

  // Results arrive while the user reads: the texts, their scroll positions and the focus stay.
  renewStrip() {
    const focused = this.strip.node.contains(this.root.getRootNode().activeElement);
    const left = this.strip.node.scrollLeft;
    const fresh = strip(this.data, (choice) => this.choose(choice), this.gold());
    this.strip.node.replaceWith(fresh.node);
    this.strip = fresh;
    fresh.node.scrollLeft = left;
    if (focused) queueMicrotask(() => this.focus("strip"));
  }

  gold() {
    return showGold ? this.data.gold : null;
  }

  claims() {
    return this.data.response.units.map((u, i) => (u.h ? -1 : i)).filter((i) => i >= 0);
  }

  firstSentence(wanted) {
    const claims = this.claims();
    if (claims.includes(wanted)) return wanted;
    const flagged = flaggedBy(this.data.methods[this.method] || {}, this.thresholdOf(this.method));
    return flagged[0] ?? claims[0] ?? -1;
  }

  thresholdOf(m) {
    const method = this.data.methods[m];
    return method ? (this.thresholds[method.id] ?? method.threshold) : null;
  }

  build() {
    const choose = (choice) => this.choose(choice);
    this.strip = strip(this.data, choose, this.gold());
    this.response = responsePane(this.data, choose);
    this.context = contextPane(this.data);
    this.verdict = el("div", { class: "verdict" });
    this.best = el("span", { class: "plain" });
    this.live = el("p", { class: "hidden", role: "status", "aria-live": "polite" });
    this.differences = el("div");
    this.panes = el("div", { class: "cols" },
      el("section", {}, el("h2", {}, "Response"), this.response.pane),
      el("section", {}, el("h2", {}, "Context ", this.best), this.context.pane));
    this.matrix = el("div", { class: "matrixbox", hidden: true });
    this.root.replaceChildren(this.verdict, citeLine(this), this.strip.node, this.tabs(), this.panes, this.matrix, this.differences, legend(this.data), this.live);
    this.root.onkeydown = (event) => this.key(event);
  }

  tabs() {
    const group = el("div", { class: "views", role: "group", "aria-label": "View" });
    for (const [id, label] of [["text", "Text"], ["matrix", "Matrix"]]) {
      const button = el("button", { type: "button", "aria-pressed": String(this.view === id), "data-view": id }, label);
      button.addEventListener("click", () => {
        this.setView(id);
        this.paint({ scroll: true, focus: "none" });
      });
      group.append(button);
    }
    this.viewButtons = [...group.children];
    return el("div", { class: "toolrow" }, group, this.data.gold ? this.goldSwitch() : null);
  }

  setView(id) {
    this.view = id;
    for (const b of this.viewButtons) b.setAttribute("aria-pressed", String(b.dataset.view === id));
  }

  goldSwitch() {
    const box = el("input", { type: "checkbox" });
    box.checked = showGold;
    box.addEventListener("change", () => {
      showGold = box.checked;
      this.renewStrip();
      this.paint({ scroll: false, focus: "none" });
    });
    return el("label", { class: "switch" }, box, " Show gold labels");
  }

  choose({ method = this.method, sentence = this.sentence, focus, cite }) {
    if (sentence !== this.sentence) [this.goldStep, this.place] = [0, null];
    // A click on a citation shows where it stands.
    if (cite !== undefined) this.place = this.data.citations.items[cite].place;
    this.method = method;
    this.sentence = sentence;
    this.touched = true;
    chosenMethod = this.data.methods[method].id;
    this.paint({ scroll: true, focus });
    if (focus !== "strip") this.reveal();
    this.link();
  }

  paint({ scroll, focus }) {
    const method = this.data.methods[this.method];
    if (!method) return this.verdict.replaceChildren(el("p", { class: "soft" }, "Choose at least one method."));
    const threshold = this.thresholdOf(this.method);
    const thresholds = this.data.methods.map((_, m) => this.thresholdOf(m));
    const gold = this.gold();
    paintStrip(this.strip.rows, this.data, thresholds, this.sentence, this.method, gold);
    paintResponse(this.response.nodes, this.data, method, threshold, this.sentence, gold);
    const best = paintContext(this.context, this.data.unitTexts, this.data, method, this.sentence, threshold, gold);
    const placed = paintPlace(this.context, this.data.unitTexts, this.place);
    this.panes.hidden = this.view !== "text";
    this.matrix.hidden = this.view !== "matrix";
    if (this.view === "matrix") {
      const [left, top] = [this.matrix.firstChild?.scrollLeft || 0, this.matrix.firstChild?.scrollTop || 0];
      this.matrix.replaceChildren(matrixTable(this.data, method, threshold, this.sentence, (c) => this.choose(c), this.gold()));
      this.matrix.firstChild.scrollTo(left, top);
    }
    const labels = gold && this.sentence >= 0 ? [goldPanel(this.data, method, this.sentence, this.goldStep, (j) => this.showGold(j))] : [];
    this.differences.replaceChildren(checkPanel(this, this.sentence), citationPanel(this, method, this.sentence, threshold), claimsPanel(method, this.sentence), ...labels, differencePanel(this.data, method, this.sentence));
    paintVerdict(this, method, threshold, thresholds);
    this.best.textContent = placed ? "— the requested place" : best ? bestWords(method, this.sentence, threshold) : "";
    if (scroll) {
      this.scrollTo(placed || best);
      // Again after layout: a new pane has no size yet, and a passage out of view only an estimated one.
      requestAnimationFrame(() => setTimeout(() => this.scrollTo(placed || best), 0));
    }
    this.scrollStrip();
    this.focus(focus);
    this.announce(method, threshold);
  }

  // Each pane scrolls by itself; the page must not jump.
  scrollTo(best) {
    const pairs = [[this.response.pane, this.response.nodes[this.sentence]], [this.context.pane, best]];
    for (const [pane, node] of pairs) {
      if (!node) continue;
      const [outer, inner] = [pane.getBoundingClientRect(), node.getBoundingClientRect()];
      if (inner.top < outer.top + 8 || inner.bottom > outer.bottom - 8) {
        pane.scrollTop += inner.top - outer.top - Math.max(24, (outer.height - inner.height) / 3);
      }
    }
  }

  // The next of the sentence's gold context sentences; each press shows the next one.
  showGold(j) {
    this.setView("text");
    this.goldStep = (this.goldStep + 1) % this.data.gold[this.sentence].c.length;
    this.paint({ scroll: false, focus: "none" });
    this.panes.scrollIntoView({ block: "nearest" });
    this.scrollTo(this.context.nodes[j]);
    requestAnimationFrame(() => setTimeout(() => this.scrollTo(this.context.nodes[j]), 0));
    this.differences.querySelector(".goldpanel .next").focus({ preventScroll: true });
  }

  // Show the place of a citation or quotation; the focus stays on the button.
  showPlace(place) {
    const label = this.root.getRootNode().activeElement?.getAttribute("aria-label");
    this.place = place;
    this.setView("text");
    this.paint({ scroll: true, focus: "none" });
    this.panes.scrollIntoView({ block: "nearest" });
    if (label) this.differences.querySelector(`.show[aria-label="${CSS.escape(label)}"]`)?.focus({ preventScroll: true });
  }

  nextCitation() {
    const doubtful = doubtfulSentences(this.data);
    if (doubtful.length) this.choose({ sentence: doubtful.find((i) => i > this.sentence) ?? doubtful[0], focus: "none" });
  }

  // In a low window the texts may be below the edge: scroll them up only as far as needed.
  reveal() {
    const node = this.view === "text" ? this.response.nodes[this.sentence] : null;
    if (!node) return;
    const { top, bottom } = node.getBoundingClientRect();
    if (top < 0 || bottom > window.innerHeight) this.panes.scrollIntoView({ block: "nearest" });
  }

  scrollStrip() {
    const cell = this.strip.rows[this.method].cells[this.sentence];
    if (!cell || this.strip.node.scrollWidth <= this.strip.node.clientWidth) return;
    const [outer, inner] = [this.strip.node.getBoundingClientRect(), cell.getBoundingClientRect()];
    if (inner.left < outer.left + 180 || inner.right > outer.right - 8) {
      this.strip.node.scrollLeft += inner.left - outer.left - outer.width / 2;
    }
  }

  focus(where) {
    const node = where === "text" ? this.response.nodes[this.sentence] : where === "strip" ? this.strip.rows[this.method].cells[this.sentence] : null;
    if (node) node.focus({ preventScroll: where === "text" });
  }

  announce(method, threshold) {
    if (this.sentence < 0) return;
    const support = method.s ? method.s[this.sentence] : null;
    const words = BAND_WORDS[bandOf(support, threshold)];
    const checks = (this.data.checks[this.sentence] || []).map((c) => ` ${c.text} ${c.why}.`).join("");
    this.live.textContent = `Sentence ${this.sentence + 1}, ${method.title}: ${words}, support ${shown(support)}.${checks}`;
  }

  next(focus) {
    const flagged = flaggedBy(this.data.methods[this.method] || {}, this.thresholdOf(this.method));
    if (flagged.length) this.choose({ sentence: flagged.find((i) => i > this.sentence) ?? flagged[0], focus });
  }

  documentKey(event) {
    if (event.key !== "n" || event.ctrlKey || event.metaKey || event.altKey || !this.root.isConnected) return;
    const target = event.composedPath()[0];
    if (target instanceof Element && target.closest("input:not([type=range]), textarea, select, [contenteditable=true]")) return;
    event.preventDefault();
    this.next("text");
  }

  key(event) {
    const target = event.composedPath()[0];
    const inText = target.closest?.(".s");
    const inStrip = target.closest?.(".strip");
    if (!inText && !inStrip) return;
    const focus = inText ? "text" : "strip";
    const claims = this.claims();
    const at = claims.indexOf(this.sentence);
    const wrap = (k) => (k + this.data.methods.length) % this.data.methods.length;
    const [back, on] = inText ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
    const [before, after] = inText ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    if (event.key === on) this.choose({ sentence: claims[Math.min(claims.length - 1, at + 1)], focus });
    else if (event.key === back) this.choose({ sentence: claims[Math.max(0, at - 1)], focus });
    else if (event.key === after) this.choose({ method: wrap(this.method + 1), focus });
    else if (event.key === before) this.choose({ method: wrap(this.method - 1), focus });
    else if (event.key === "Home") this.choose({ sentence: claims[0], focus });
    else if (event.key === "End") this.choose({ sentence: claims[claims.length - 1], focus });
    else return;
    event.preventDefault();
  }

  // The link keeps method and sentence, never text; no rerun of the app is needed for it.
  link() {
    setLink({ method: this.data.methods[this.method].id, sentence: String(this.sentence + 1) });
  }
}
