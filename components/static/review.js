// Deciding sentence by sentence: keys, what is not saved yet, the two texts, and the findings once they are revealed.

const reviews = new WeakMap();
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

const UNDECIDED = { ruling: null, type: null, span: null, rests: -1, note: "", number: 0 };

class Review {
  constructor(parent) {
    this.root = parent.querySelector(".groundscope");
    this.waiting = new Waiting(this);
    this.onKey = (event) => reviewKey(this, event);
    document.addEventListener("keydown", this.onKey);
  }

  update(data) {
    const other = !this.data || this.data.key !== data.key;
    const others = JSON.stringify(this.data?.findings) !== JSON.stringify(data.findings);
    // What is typed belongs to the case that it was typed for.
    if (other && this.data) this.fields.finish();
    this.data = data;
    data.contextUnits = data.context.flatMap((p) => p.units);
    this.waiting.renew(data);
    if (other) this.build();
    else this.paint({ others });
  }

  build() {
    const { data } = this;
    this.claims = [...data.response.units.map((u, i) => (u.h ? WHOLE : i)).filter((i) => i >= 0), WHOLE];
    const undecided = this.claims.find((i) => !this.of(i).ruling) ?? this.claims[0];
    this.sentence = data.start >= 0 && this.claims.includes(data.start) ? data.start : undecided;
    this.unit = 0;
    this.response = responsePane(data, ({ sentence }) => this.go(sentence));
    this.whole = wholeAnswer(this.response.pane, () => this.go(WHOLE));
    this.response.pane.addEventListener("mouseup", (event) => this.take(event.target));
    this.context = contextPane(data);
    this.context.nodes.forEach((node, j) => {
      node.classList.add("pick");
      node.addEventListener("click", () => this.rest(j));
    });
    for (const kind of ["focus", "blur"]) this.context.pane.addEventListener(kind, () => this.paintSources());
    this.context.pane.addEventListener("keydown", (event) => sourceKey(this, event));
    this.search = new Search(this);
    this.head = this.freshHead();
    this.fields = new Fields(this);
    this.findings = el("section", { class: "why", "aria-label": "Findings", tabindex: "0" });
    this.live = el("p", { class: "hidden", role: "status", "aria-live": "polite" });
    this.keys = keysDialog(REVIEW_KEYS);
    this.root.replaceChildren(this.head, this.fields.node, twoTexts(this, [this.findings]), this.keys, this.live);
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
    const undo = el("button", { type: "button", class: "next", "aria-keyshortcuts": "u" }, "Undo");
    undo.addEventListener("click", () => this.undo());
    this.title = el("b");
    this.rulings = el("div", { class: "rulings", role: "group", "aria-label": "Decision" });
    this.progress = el("span", { class: "soft progress" });
    this.saved = el("span", { class: "soft saved", role: "status" });
    return el("div", { class: "reviewhead" }, this.title, this.rulings, undo, helpButton(this), this.progress, this.saved);
  }

  // What counts for a sentence: what is kept, under what waits to be.
  of(i) {
    return Object.assign({}, UNDECIDED, this.data.decisions[i], ...this.waiting.here.filter((item) => item.sentence === i));
  }

  // Only what changes is sent: what an undo or another window left of the decision meanwhile stays.
  decide(change, sentence = this.sentence) {
    this.waiting.push({ sentence, after: this.data.decisions[sentence]?.number || 0, ...change });
    this.paint({});
  }

  // A decision whose reason is wanted keeps its sentence open.
  rule(ruling) {
    this.decide({ ruling: ruling.id });
    this.live.textContent = `${this.name(this.sentence)}: ${ruling.title}.`;
    if (ruling.on) this.step(1);
    else this.go(this.sentence);
  }

  // The next key decides where this one took back.
  undo() {
    const decided = [...this.data.undo];
    for (const item of this.waiting.here) item.undo ? decided.pop() : decided.push(item.sentence);
    const sentence = decided.at(-1);
    if (sentence === undefined) return;
    this.waiting.push({ undo: true });
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

  // From the passage that is named, if one is.
  choosePassage() {
    const { rests } = this.of(this.sentence);
    if (rests >= 0) this.unit = rests;
    this.context.pane.focus();
  }

  rest(j) {
    this.unit = j;
    this.decide({ rests: this.of(this.sentence).rests === j ? -1 : j });
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
    const buttons = data.rulings.map((r) => keyButton(r.key, r.title, () => this.rule(r), { class: `next ruling ${r.key}`, "aria-pressed": String(current === r.id), "data-ruling": r.id }));
    const state = this.waiting.items.length ? (data.failed ? "Not saved" : "Saving …") : data.saved ? `Saved ${data.saved} UTC` : "";
    const focused = this.root.getRootNode().activeElement?.dataset?.ruling;
    this.rulings.replaceChildren(...buttons);
    if (focused) buttons.find((b) => b.dataset.ruling === focused)?.focus();
    this.title.textContent = this.name(this.sentence);
    this.progress.textContent = `${read} of ${sentences.length} read`;
    if (this.saved.textContent !== state) this.saved.textContent = state;
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
