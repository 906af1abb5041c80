// State, keys and layout of the heatmap. One instance per mounted component; a rerun passes new data.

const instances = new WeakMap();
// Whether gold labels are drawn, if a case has them; stays as the user set it.
let showGold = false;
// Whether the strip has a row for every method, or for the leading ones and the chosen one.
let allMethods = false;
// The method that the user chose last stays when another case opens, until a link names one.
let chosenMethod = "";
let linkedMethod = "";
// The case over which the user typed last, until its new version is here: the focus goes to the sentence then.
let editedCase = "";

export default function (component) {
  const { data, parentElement } = component;
  let view = instances.get(parentElement);
  if (!view) {
    view = new Heatmap(parentElement);
    instances.set(parentElement, view);
  }
  view.setStateValue = component.setStateValue;
  view.setTriggerValue = component.setTriggerValue;
  view.update(data);
  return () => view.close();
}

class Heatmap {
  constructor(parent) {
    this.root = parent.querySelector(".groundscope") || parent.appendChild(el("div", { class: "groundscope" }));
    this.thresholds = {};
    this.goldStep = 0;
    this.view = "text";
    this.onKey = (event) => documentKey(this, event);
    document.addEventListener("keydown", this.onKey);
    this.root.addEventListener("pointerdown", (event) => closeDropdowns(this.root, event.composedPath()[0]));
  }

  close() {
    document.removeEventListener("keydown", this.onKey);
    linkedMethod = "";
    instances.delete(this.root.parentNode);
  }

  update(data) {
    if (data.version === this.version) return;
    if (!this.data) showGold = data.showGold;
    const sameCase = this.data && this.data.caseKey === data.caseKey;
    const before = sameCase ? this.data.methods[this.method] : null;
    if (!sameCase) [this.touched, this.goldStep, this.place] = [false, 0, null];
    if (this.data && this.data.rules !== data.rules) this.thresholds = {};
    this.data = data;
    this.version = data.version;
    data.contextUnits = data.context.flatMap((p) => p.units);
    data.unitTexts = data.contextUnits.map((u) => u.t);
    data.unitPassages = data.context.flatMap((p, k) => p.units.map(() => k));
    // The server still names the method of the link that was followed.
    if (data.start.method !== linkedMethod) [linkedMethod, chosenMethod] = [data.start.method, data.start.method ? "" : chosenMethod];
    this.method = this.openingMethod(this.touched && before ? before.id : chosenMethod || linkedMethod);
    data.findings = listedBy(data, this.method);
    const method = data.methods[this.method];
    const arrived = Boolean(method && method.s && !(before && before.s && before.id === method.id));
    if (!sameCase || (arrived && !this.touched)) this.sentence = this.firstSentence(data.start.sentence);
    if (sameCase) {
      this.renewStrip();
      this.foot.replaceWith((this.foot = legend(data)));
    } else this.build();
    this.paint({ scroll: arrived || !sameCase, focus: !sameCase && editedCase && editedCase !== data.caseKey ? "text" : "none" });
    if (editedCase !== data.caseKey) editedCase = "";
    if (!sameCase && chosenMethod && !data.small) setLink({ method: chosenMethod });
    this.report();
  }

  // What stands under the heatmap shows the same sentence, while it is open.
  report() {
    const method = this.data.methods[this.method];
    if (!this.data.follows || !method) return;
    const chosen = { case: this.data.caseKey, method: method.id, sentence: this.sentence };
    if (this.reported === JSON.stringify(chosen)) return;
    this.reported = JSON.stringify(chosen);
    this.setStateValue("chosen", chosen);
  }

  // The preferred method, or else the recommended one, which is the first; while it works the checks lead alone.
  openingMethod(preferred) {
    return Math.max(0, this.data.methods.findIndex((m) => m.id === preferred));
  }

  // Results arrive while the user reads: the texts, their scroll positions and the focus stay.
  renewStrip() {
    const focused = this.strip.node.contains(this.root.getRootNode().activeElement);
    const left = this.strip.node.scrollLeft;
    const fresh = this.freshStrip();
    this.strip.node.replaceWith(fresh.node);
    this.strip = fresh;
    fresh.node.scrollLeft = left;
    if (focused) queueMicrotask(() => this.focus("strip"));
  }

  freshStrip() {
    const toggle = () => {
      allMethods = !allMethods;
      this.renewStrip();
      this.paint({ scroll: false, focus: "none" });
      this.strip.node.querySelector(".all").focus();
    };
    return strip(this.data, (choice) => this.choose(choice), this.gold(), toggle, () => this.next("none"));
  }

  gold() {
    return showGold ? this.data.gold : null;
  }

  claims() {
    return this.data.response.units.map((u, i) => (u.h ? -1 : i)).filter((i) => i >= 0);
  }

  firstSentence(preferred) {
    const claims = this.claims();
    if (claims.includes(preferred)) return preferred;
    return this.order()[0] ?? this.weakest()[0] ?? claims[0] ?? -1;
  }

  // The sentences with findings, in the order to read them.
  order() {
    return this.data.methods[this.method]?.order ?? this.data.order;
  }

  // The sentences that the chosen method supports, the least supported first.
  weakest() {
    const supports = this.data.methods[this.method]?.s || [];
    return this.claims().filter((i) => supports[i] !== null && supports[i] !== undefined).sort((a, b) => supports[a] - supports[b]);
  }

  thresholdOf(m) {
    const method = this.data.methods[m];
    return method ? (this.thresholds[method.id] ?? method.threshold) : null;
  }

  build() {
    const choose = (choice) => this.choose(choice);
    this.strip = this.freshStrip();
    this.response = responsePane(this.data, choose);
    this.context = contextPane(this.data);
    this.verdict = el("div", { class: "verdict" });
    this.best = el("span", { class: "bestwords soft" });
    this.live = el("p", { class: "hidden", role: "status", "aria-live": "polite" });
    this.why = el("section", { class: "why", "aria-label": "Why", tabindex: "0" });
    this.more = el("div");
    this.search = new Search(this);
    this.editor = new SentenceEditor(this);
    this.keys = keysDialog();
    this.panes = twoTexts(this, [], [this.why]);
    this.matrix = el("div", { class: "matrixbox", hidden: true });
    this.root.replaceChildren(this.verdict, this.strip.node, this.data.partly ? el("p", { class: "compared soft" }, this.data.compared) : "", this.tools(), this.editor.node, this.panes, this.matrix, this.more, (this.foot = legend(this.data)), this.keys, this.live);
    this.root.classList.toggle("small", this.data.small);
    this.root.onkeydown = (event) => walkKey(this, event);
  }

  tools() {
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
    this.sources = sourceList(this);
    return el("div", { class: "toolrow" },
      el("div", {}, group, citeLine(this), this.data.gold ? this.goldSwitch() : null, this.editor.editAnswer),
      el("div", {}, this.best, this.editor.editSource, this.sources.node, this.search.node));
  }

  setView(id) {
    this.view = id;
    for (const b of this.viewButtons) b.setAttribute("aria-pressed", String(b.dataset.view === id));
  }

  showView() {
    this.panes.hidden = this.view !== "text";
    this.matrix.hidden = this.view !== "matrix";
  }

  stepSource(way) {
    const count = this.data.context.length;
    if (count) this.showSource(Math.min(count - 1, Math.max(0, this.source + way)));
  }

  // Scroll a source to the top; the heading is marked until another sentence is chosen.
  showSource(k) {
    this.source = k;
    this.setView("text");
    this.showView();
    for (const head of this.context.heads) head.classList.toggle("cited", head === this.context.heads[k]);
    this.live.textContent = `Passage ${k + 1} of ${this.data.context.length}: ${this.data.context[k].source}`;
    const scroll = () => {
      const [pane, head] = [this.context.pane, this.context.heads[k]];
      pane.scrollTop += head.getBoundingClientRect().top - pane.getBoundingClientRect().top - 16;
    };
    scroll();
    requestAnimationFrame(() => setTimeout(scroll, 0));
  }

  goldSwitch() {
    const box = el("input", { type: "checkbox" });
    box.checked = showGold;
    box.addEventListener("change", () => {
      showGold = box.checked;
      this.renewStrip();
      this.paint({ scroll: false, focus: "none" });
      // The page names labels over the heatmap, too.
      this.setStateValue("gold", showGold);
    });
    return el("label", { class: "switch" }, box, " Show gold labels");
  }

  choose({ method = this.method, sentence = this.sentence, focus, cite, check }) {
    if (sentence !== this.sentence) [this.goldStep, this.place] = [0, null];
    // A click on a citation shows where it stands.
    if (cite !== undefined) this.place = this.data.citations.items[cite].place;
    if (check?.place) this.place = check.place;
    if (method !== this.method) this.data.findings = listedBy(this.data, method);
    this.method = method;
    this.sentence = sentence;
    this.touched = true;
    chosenMethod = this.data.methods[method].id;
    this.paint({ scroll: true, focus });
    if (focus !== "strip") this.reveal();
    this.link();
    this.report();
  }

  paint({ scroll, focus }) {
    const method = this.data.methods[this.method];
    if (!method) return this.verdict.replaceChildren(el("p", {}, el("b", {}, this.data.headline), " Choose at least one method."));
    const threshold = this.thresholdOf(this.method);
    const thresholds = this.data.methods.map((_, m) => this.thresholdOf(m));
    const gold = this.gold();
    paintStrip(this.strip.rows, this.data, thresholds, this.sentence, this.method, gold);
    paintResponse(this.response.nodes, this.data, method, threshold, this.sentence, gold);
    const best = paintContext(this.context, this.data, method, this.sentence, threshold, gold);
    // Where a method matches nothing, the place that a check names is shown.
    const place = this.place ?? (best ? null : this.placeToRead());
    const placed = paintPlace(this.context, this.data.contextUnits, place);
    if (scroll) this.source = best ? this.data.unitPassages[method.best[this.sentence]] : 0;
    this.showView();
    this.search.renew();
    if (this.view === "matrix") {
      const [left, top] = [this.matrix.firstChild?.scrollLeft || 0, this.matrix.firstChild?.scrollTop || 0];
      this.matrix.replaceChildren(matrixTable(this.data, method, threshold, this.sentence, (c) => this.choose(c), this.gold()));
      this.matrix.firstChild.scrollTo(left, top);
    }
    const labels = gold && this.sentence >= 0 ? [goldPanel(this.data, method, this.sentence, this.goldStep, (j) => this.showGold(j))] : [];
    this.why.replaceChildren(...whyCard(this, method, this.sentence, thresholds));
    this.more.replaceChildren(...labels, citationPanel(this, method, this.sentence, threshold));
    this.sources.paint(method, threshold);
    this.editor.paint(method);
    paintVerdict(this, method, threshold);
    this.best.textContent = this.place ? "The requested place" : placed ? `To read beside sentence ${this.sentence + 1}` : best ? `Nearest passage to sentence ${this.sentence + 1}` : "";
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
    this.more.querySelector(".goldpanel .next").focus({ preventScroll: true });
  }

  // Show the place of a citation or quotation; the focus stays on the button.
  showPlace(place) {
    // The same place may have a button in the card and one in the panel.
    const label = this.root.getRootNode().activeElement?.getAttribute("aria-label");
    const alike = () => [...this.root.querySelectorAll(`.show[aria-label="${CSS.escape(label)}"]`)];
    const at = label ? alike().indexOf(this.root.getRootNode().activeElement) : -1;
    this.place = place;
    this.setView("text");
    this.paint({ scroll: true, focus: "none" });
    this.panes.scrollIntoView({ block: "nearest" });
    if (at >= 0) alike()[at]?.focus({ preventScroll: true });
  }

  nextCitation() {
    const doubtful = doubtfulSentences(this.data);
    if (doubtful.length) this.choose({ sentence: doubtful.find((i) => i > this.sentence) ?? doubtful[0], focus: "none" });
  }

  // The sentence in Review, with the same findings once they are revealed.
  decide() {
    if (!this.data.small && this.sentence >= 0) this.setTriggerValue("decide", { sentence: this.sentence, method: this.data.methods[this.method]?.id || "" });
  }

  placeToRead() {
    return (this.data.findings[this.sentence] || []).find((c) => c.place)?.place;
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
    const reason = reasonOf(this.data, method, this.sentence);
    this.live.textContent = `Sentence ${this.sentence + 1}: ${standing(this.data, method, this.sentence, threshold)}.${findingWords(this.data, this.sentence)}${reason && ` ${reason}`}`;
  }

  // The next finding; where there is none, the next least supported sentence.
  next(focus) {
    const order = this.order().length ? this.order() : this.weakest();
    if (!order.length) return;
    const sentence = order[(order.indexOf(this.sentence) + 1) % order.length];
    this.choose({ sentence, focus, check: (this.data.findings[sentence] || []).find((c) => c.place) });
  }

  // The link keeps method and sentence, never text; no rerun of the app is needed for it.
  link() {
    if (this.data.small) return;
    setLink({ method: this.data.methods[this.method].id, sentence: String(this.sentence + 1) });
  }
}
