// Deciding sentence by sentence: keys, what is not saved yet, the two texts, and the findings once they are revealed.

const reviews = new WeakMap();
const WHOLE = -1;
const STYLE_OF = { exact: "exact", differs: "aside", doubtful: "low" };

export default function (component) {
  const { data, parentElement } = component;
  let view = reviews.get(parentElement);
  if (!view) {
    view = new Review(parentElement);
    reviews.set(parentElement, view);
  }
  view.send = (items) => component.setStateValue("pending", items);
  view.next = () => component.setTriggerValue("next", true);
  view.update(data);
  return () => {
    // The page that takes its place may be one that asks for a name, after the server went: what is typed is not lost.
    view.fields.finish();
    document.removeEventListener("keydown", view.onKey);
    reviews.delete(parentElement);
  };
}

const REVIEW_KEYS = [
  [["1"], "supported, and on to the next sentence"], [["2", "…", "5"], "any other decision; its sentence stays open for the reason"], [["t"], "type of the error"], [["w"], "the wrong words"],
  [["n"], "a note"], [["s"], "the source passage it rests on: ↑ ↓ Home, and Enter takes it"], [["Enter"], "on to the next sentence, from a field, too; from the whole answer to the next unread case"], [["Esc"], "from a field back to its sentence; what is typed is saved"],
  [["c"], "correct the sentence, or its wrong words, by what the source says"], [["q"], "fewer words of the source"], [["x"], "strike it out"],
  [["↑", "↓"], "sentence before or after"], [["u"], "undo the last decision, at its sentence"], [["/"], "search the sources: Enter goes on, Esc leaves it, and Enter takes the passage"], [["?"], "these keys"],
];
const PATIENCE = 4000;
const UNDECIDED = { ruling: null, type: null, span: null, rests: -1, note: "", number: 0 };

class Review {
  constructor(parent) {
    this.root = parent.querySelector(".groundscope");
    this.window = crypto.getRandomValues(new Uint32Array(3)).join(".");
    this.onKey = (event) => reviewKey(this, event);
    document.addEventListener("keydown", this.onKey);
  }

  update(data) {
    const other = !this.data || this.data.key !== data.key;
    const others = JSON.stringify(this.data?.findings) !== JSON.stringify(data.findings);
    // What is typed belongs to the case that it was typed for.
    if (other && this.data) this.fields.finish();
    const began = this.data?.reviewer === data.reviewer;
    this.data = data;
    data.contextUnits = data.context.flatMap((p) => p.units);
    this.keep((began ? this.pending : waitingOf(data.reviewer)).filter((item) => item.n > data.acked));
    if (!began && this.pending.length) this.send([...this.pending]);
    if (other) this.build();
    else this.paint({ others });
  }

  // What waits to be saved is held by this tab until it is, also while the server is away.
  keep(pending) {
    this.pending = pending;
    holdWaiting(this.data.reviewer, pending);
    clearTimeout(this.again);
    if (pending.length) this.again = setTimeout(() => this.root.isConnected && this.push(), PATIENCE);
  }

  push(...items) {
    this.keep([...this.pending, ...items.map((item) => ({ ...item, case: this.data.key, n: this.count(), id: `${this.window}.${this.last}` }))]);
    this.send([...this.pending]);
  }

  // Of the open case alone.
  get waiting() {
    return this.pending.filter((item) => item.case === this.data.key);
  }

  build() {
    const { data } = this;
    this.claims = [...data.response.units.map((u, i) => (u.h ? WHOLE : i)).filter((i) => i >= 0), WHOLE];
    const undecided = this.claims.find((i) => !this.of(i).ruling) ?? this.claims[0];
    this.sentence = data.start >= 0 && this.claims.includes(data.start) ? data.start : undecided;
    this.unit = 0;
    this.response = responsePane(data, ({ sentence }) => this.go(sentence));
    this.whole = el("span", { class: "s whole", role: "option", "data-i": WHOLE, tabindex: "-1" });
    this.whole.addEventListener("click", () => this.go(WHOLE));
    this.response.pane.append(this.whole);
    this.response.pane.addEventListener("mouseup", (event) => this.take(event.target));
    this.context = contextPane(data);
    this.context.nodes.forEach((node, j) => {
      node.classList.add("pick");
      node.addEventListener("click", () => this.rest(j));
    });
    for (const kind of ["focus", "blur"]) this.context.pane.addEventListener(kind, () => this.paintSources());
    this.context.pane.addEventListener("keydown", (event) => this.walkSources(event));
    this.search = new Search(this);
    this.head = this.freshHead();
    this.fields = new Fields(this);
    this.findings = el("section", { class: "why", "aria-label": "Findings", tabindex: "0" });
    this.live = el("p", { class: "hidden", role: "status", "aria-live": "polite" });
    this.keys = keysDialog(REVIEW_KEYS);
    this.root.replaceChildren(this.head, this.fields.node,
      el("div", { class: "cols" }, el("section", {}, el("h2", { class: "hidden" }, "Response"), this.response.pane, this.findings),
        el("section", {}, el("h2", { class: "hidden" }, "Sources"), this.context.pane)), this.keys, this.live);
    this.paint({ scroll: true, others: true, focus: this.leaving });
    this.leave(false);
  }

  // On the way to the next case no key decides: it would be of the case that is still in view.
  leave(leaving) {
    this.leaving = leaving;
    this.root.setAttribute("aria-busy", String(leaving));
    clearTimeout(this.back);
    if (leaving) this.back = setTimeout(() => this.leave(false), 2 * PATIENCE);
  }

  nextCase() {
    this.live.textContent = this.data.next ? "The next unread case opens." : "No other case is unread.";
    if (!this.data.next) return;
    this.leave(true);
    this.next();
  }

  freshHead() {
    const [undo, help] = [el("button", { type: "button", class: "next", "aria-keyshortcuts": "u" }, "Undo"), el("button", { type: "button", class: "help", "aria-label": "Keys" }, "?")];
    undo.addEventListener("click", () => this.undo());
    help.addEventListener("click", () => this.keys.showModal());
    this.title = el("b");
    this.rulings = el("div", { class: "rulings", role: "group", "aria-label": "Decision" });
    this.progress = el("span", { class: "soft progress" });
    this.saved = el("span", { class: "soft saved", role: "status" });
    return el("div", { class: "reviewhead" }, this.title, this.rulings, undo, help, this.progress, this.saved);
  }

  // What counts for a sentence: what is kept, under what waits to be.
  of(i) {
    return Object.assign({}, UNDECIDED, this.data.decisions[i], ...this.waiting.filter((item) => item.sentence === i));
  }

  // Only what changes is sent: what an undo or another window left of the decision meanwhile stays.
  decide(change, sentence = this.sentence) {
    this.push({ sentence, after: this.data.decisions[sentence]?.number || 0, ...change });
    this.paint({});
  }

  // A decision whose reason is wanted keeps its sentence open.
  rule(ruling) {
    this.decide({ ruling: ruling.id });
    this.live.textContent = `${this.name(this.sentence)}: ${ruling.title}.`;
    if (ruling.on) this.step(1);
    else this.go(this.sentence);
  }

  // Rises from one to the next, also after a reload.
  count() {
    this.last = Math.max(Date.now(), (this.last || 0) + 1);
    return this.last;
  }

  // The next key decides where this one took back.
  undo() {
    const decided = [...this.data.undo];
    for (const item of this.waiting) item.undo ? decided.pop() : decided.push(item.sentence);
    const sentence = decided.at(-1);
    if (sentence === undefined) return;
    this.push({ undo: true });
    this.go(sentence);
    this.live.textContent = `${this.name(sentence)}: the last decision is undone.`;
  }

  name(i) {
    return i === WHOLE ? "Whole answer" : `Sentence ${i + 1}`;
  }

  words(i) {
    return i === WHOLE ? "the whole answer" : `sentence ${i + 1}`;
  }

  go(sentence) {
    this.fields.leave();
    this.sentence = sentence;
    this.paint({ scroll: true, focus: true });
  }

  step(way) {
    this.go(this.claims[this.claims.indexOf(this.sentence) + way] ?? this.sentence);
  }

  // Words marked with the mouse inside a sentence are its wrong ones.
  take(target) {
    const i = Number(target.closest(".s[data-i]")?.dataset.i ?? WHOLE);
    const words = String(this.root.getRootNode().getSelection?.() || document.getSelection()).trim();
    if (i === WHOLE || !words || !placeOf(this.data.response.units[i], words)) return;
    this.go(i);
    this.fields.wrong(words, i);
  }

  rest(j) {
    this.unit = j;
    this.decide({ rests: this.of(this.sentence).rests === j ? -1 : j });
  }

  walkSources(event) {
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Home") this.unit = 0;
    else if (way) this.unit = Math.min(this.context.nodes.length - 1, Math.max(0, this.unit + way));
    else if (event.key === "Enter" && this.context.nodes[this.unit]) {
      this.rest(this.unit);
      this.node().focus({ preventScroll: true });
    } else if (event.key === "Escape") this.node().focus({ preventScroll: true });
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.paintSources();
    if (event.key === "Enter" || event.key === "Escape") return;
    scrollInto(this.context.pane, this.context.nodes[this.unit]);
    this.live.textContent = this.data.contextUnits[this.unit] ? bare(this.data.contextUnits[this.unit]).text : "";
  }

  node() {
    return this.sentence === WHOLE ? this.whole : this.response.nodes[this.sentence];
  }

  // Enter goes on, at the end to the next case.
  goOn() {
    this.fields.leave();
    if (this.sentence === WHOLE) this.nextCase();
    else this.step(1);
  }

  setView() {}
  showView() {}
  // What the search shows is where Enter takes a passage, once the search is left.
  scrollTo(range) {
    scrollInto(this.context.pane, range);
    const unit = this.context.nodes.indexOf(range.startContainer.parentElement.closest(".c"));
    if (unit >= 0) this.unit = unit;
  }

  paint({ scroll, focus, others }) {
    const { data } = this;
    if (others) this.listFindings();
    for (const i of this.claims) {
      const [node, decision] = [i === WHOLE ? this.whole : this.response.nodes[i], this.of(i)];
      const ruling = data.rulings.find((r) => r.id === decision.ruling);
      const findings = data.findings?.of[i] || [];
      const correction = Correction.of(this, i);
      node.className = `s ${i === WHOLE ? "whole" : ""} ${ruling ? `ruled ${ruling.key}` : ""} ${STYLE_OF[findings[0]?.certainty] || ""}`;
      node.setAttribute("aria-selected", String(i === this.sentence));
      node.tabIndex = i === this.sentence ? 0 : -1;
      draw(node, i === WHOLE ? { t: "Whole answer" } : data.response.units[i], [...(decision.span ? [{ css: "differs", spans: [decision.span] }] : []), ...(correction ? [{ css: "goes", spans: [correction.span] }] : []), ...markedWords(findings, i)],
        el("sup", { "aria-hidden": "true" }, ruling ? `${ruling.key} ${ruling.sign}` : ""),
        el("span", { class: "hidden" }, ` ${this.name(i)}: ${ruling ? ruling.title : "not decided"}.${findings.map((f) => ` ${f.why}`).join("")}`));
      drawCorrection(node, data, correction);
    }
    this.paintSources();
    this.paintHead();
    this.fields.paint(this.of(this.sentence));
    if (scroll) scrollInto(this.response.pane, this.node());
    const [rests, nearest] = [this.of(this.sentence).rests, data.findings?.of[this.sentence]?.find((f) => f.place)?.place];
    if (scroll) scrollInto(this.context.pane, rests >= 0 ? this.context.nodes[rests] : this.placeNode(nearest));
    if (scroll || others) this.showFindings();
    if (focus) this.node().focus({ preventScroll: true });
  }

  // All findings in the order to read them; a click opens their sentence.
  listFindings() {
    const { findings } = this.data;
    this.findings.hidden = !findings;
    this.listed = new Map((findings?.order || []).map((i) => {
      const [open, first] = [el("button", { type: "button", class: "next" }, this.name(i)), STANDING[findings.of[i][0].certainty]];
      open.addEventListener("click", () => this.go(i));
      const lines = findings.of[i].map((f) => el("div", { class: `check ${f.certainty}`, dir: "auto" }, el("p", {}, f.why, this.sourceButton(f)), f.worth && el("p", { class: "soft worth" }, `${f.check}. ${f.worth}`)));
      return [i, el("li", {}, open, first ? ` ${first}` : "", ...lines)];
    }));
    if (findings) this.findings.replaceChildren(el("h2", {}, findings.headline), el("ol", {}, ...this.listed.values()));
  }

  sourceButton({ place }) {
    if (!place) return null;
    const source = this.data.context[place.p].source || `source ${place.p + 1}`;
    const button = el("button", { type: "button", class: "next show", "aria-label": `Show the place in ${source}` }, "Show");
    button.addEventListener("click", () => scrollInto(this.context.pane, this.placeNode(place)));
    return button;
  }

  // The sentence of a source, or its title.
  placeNode(place) {
    return place && (this.context.nodes[place.at[0]?.[0]] ?? this.context.heads[place.p]);
  }

  showFindings() {
    for (const [i, item] of this.listed) item.setAttribute("aria-current", String(i === this.sentence));
    if (this.listed.has(this.sentence)) scrollInto(this.findings, this.listed.get(this.sentence));
  }

  // Only what changes is touched, so that sources of ten thousand sentences stay quick.
  paintSources() {
    const walking = this.root.getRootNode().activeElement === this.context.pane;
    for (const node of this.marked || []) node.classList.remove("rests", "at");
    this.context.pane.setAttribute("aria-label", `Sources: the passage that ${this.words(this.sentence)} rests on`);
    const [rests, at] = [this.context.nodes[this.of(this.sentence).rests], walking ? this.context.nodes[this.unit] : null];
    rests?.classList.add("rests");
    at?.classList.add("at");
    this.marked = [rests, at].filter(Boolean);
  }

  paintHead() {
    const { data } = this;
    const sentences = this.claims.filter((i) => i !== WHOLE);
    const read = sentences.filter((i) => this.of(i).ruling).length;
    const current = this.of(this.sentence).ruling;
    const buttons = data.rulings.map((r) => {
      const button = el("button", { type: "button", class: `next ruling ${r.key}`, "aria-pressed": String(current === r.id), "aria-keyshortcuts": r.key, "data-ruling": r.id }, el("kbd", {}, r.key), ` ${r.title}`);
      button.addEventListener("click", () => this.rule(r));
      return button;
    });
    const state = this.pending.length ? (data.failed ? "Not saved" : "Saving …") : data.saved ? `Saved ${data.saved} UTC` : "";
    const focused = this.root.getRootNode().activeElement?.dataset?.ruling;
    this.rulings.replaceChildren(...buttons);
    if (focused) buttons.find((b) => b.dataset.ruling === focused)?.focus();
    this.title.textContent = this.name(this.sentence);
    this.progress.textContent = `${read} of ${sentences.length} read`;
    if (this.saved.textContent !== state) this.saved.textContent = state;
  }
}

const waitingKey = (reviewer) => `groundscope review ${reviewer}`;

// A browser may refuse to hold anything; then the page alone does.
function waitingOf(reviewer) {
  try {
    const items = JSON.parse(sessionStorage.getItem(waitingKey(reviewer)));
    return Array.isArray(items) ? items : [];
  } catch {
    return [];
  }
}

function holdWaiting(reviewer, items) {
  try {
    if (items.length) sessionStorage.setItem(waitingKey(reviewer), JSON.stringify(items));
    else sessionStorage.removeItem(waitingKey(reviewer));
  } catch {
    // The page holds them.
  }
}

// The words that findings of a sentence name; a doubt is about all of it.
function markedWords(findings, i) {
  const css = { exact: "checked", differs: "beside" };
  return findings.filter((f) => css[f.certainty]).map((f) => ({ css: css[f.certainty], spans: f.at.filter(([u]) => u === i).map(([, a, b]) => [a, b]) }));
}

// Where words stand in a sentence, as they are written or as they are shown.
function placeOf(unit, words) {
  const [{ text, at }, raw] = [bare(unit || { t: "" }), unit ? unit.t.indexOf(words) : -1];
  const k = words ? text.indexOf(words) : -1;
  if (k >= 0) return [at[k], at[k + words.length - 1] + 1];
  return words && raw >= 0 ? [raw, raw + words.length] : null;
}

function reviewKey(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !view.root.isConnected || !view.data || view.leaving) return;
  const target = event.composedPath()[0];
  if (target instanceof Element && target.closest("input, textarea, select, [contenteditable=true], dialog")) return;
  const ruling = view.data.rulings.find((r) => r.key === event.key);
  // Where nothing has the focus, as when the page was just opened, keys are of the text.
  const inText = target instanceof Element && (view.response.pane.contains(target) || target === document.body);
  if (ruling) view.rule(ruling);
  else if (event.key === "u") view.undo();
  else if (event.key === "t") view.fields.type.focus();
  else if (event.key === "w") ["focus", "select"].forEach((does) => view.fields.words[does]());
  else if (event.key === "n") view.fields.note.focus();
  else if (event.key === "s") view.context.pane.focus();
  else if (event.key === "c") view.fields.correction.take();
  else if (event.key === "x") view.fields.correction.strikeOut();
  else if (event.key === "q") view.fields.correction.words.focus();
  else if (event.key === "/") view.search.input.focus();
  else if (event.key === "?") view.keys.showModal();
  else if (inText && event.key === "Enter") view.goOn();
  else if (inText && event.key === "ArrowDown") view.step(1);
  else if (inText && event.key === "ArrowUp") view.step(-1);
  else return;
  event.preventDefault();
}
