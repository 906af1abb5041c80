// What the source says in the place of a sentence or of its wrong words: offered, taken with one key, narrowed to words of it.

class Correction {
  constructor(view) {
    this.view = view;
    this.quote = this.button("c", "Quote the source", () => this.take());
    this.strike = this.button("x", "Strike out", () => this.strikeOut());
    this.words = el("input", { type: "text", "aria-keyshortcuts": "q", maxlength: "2000", dir: "auto" });
    this.words.addEventListener("change", () => this.narrow());
    this.words.addEventListener("keydown", (event) => this.stay(event));
    this.text = el("span", { class: "corrected", dir: "auto", tabindex: "0" });
    this.name = el("span");
    this.label = el("label", { class: "quoted" }, el("span", { class: "soft" }, el("kbd", { "aria-hidden": "true" }, "q"), " ", this.name), this.words);
    this.node = el("div", { class: "correction", role: "group" }, this.quote, this.strike, this.text);
  }

  button(key, title, act) {
    const button = el("button", { type: "button", class: "next ruling", "aria-keyshortcuts": key }, el("kbd", {}, key), ` ${title}`);
    button.addEventListener("click", act);
    return button;
  }

  get decision() {
    return this.view.of(this.sentence);
  }

  get offer() {
    return this.waiting ? null : this.view.data.decisions[this.sentence]?.offer;
  }

  // What waits to be saved may change the offer.
  get waiting() {
    return this.view.pending.some((item) => item.undo || item.sentence === this.sentence);
  }

  get whole() {
    return [0, this.view.data.response.units[this.sentence].t.length];
  }

  // The correction of a decision, if its ruling asks for one.
  static of(view, i) {
    const decision = view.of(i);
    return i !== WHOLE && view.data.rulings.find((r) => r.id === decision.ruling)?.wrong ? decision.correction : null;
  }

  // What is corrected rests on the passage that corrects it, unless another one is named.
  decide(correction) {
    const rests = correction?.unit >= 0 && this.decision.rests < 0 ? { rests: correction.unit } : {};
    this.view.decide({ correction, ...rests }, this.sentence);
    this.view.live.textContent = correction ? `Correction: ${this.text.textContent}` : "No correction.";
  }

  take() {
    if (this.quote.disabled) return;
    if (this.decision.correction?.unit >= 0) this.decide(null);
    else if (this.offer) this.decide(this.offer);
    else if (this.waiting) this.taking = this.sentence;
    else this.view.live.textContent = this.text.textContent;
  }

  strikeOut() {
    if (this.strike.disabled) return;
    const { correction, span } = this.decision;
    this.decide(correction?.unit === -1 ? null : { span: span || this.whole, unit: -1, at: null });
  }

  // Enter leaves words that are not in the source to be put right.
  stay(event) {
    if (event.key !== "Enter" || event.isComposing) return;
    this.narrow();
    if (!this.view.fields.problem.textContent) return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Fewer words of the source go in the place of the wrong words, if they are named.
  narrow() {
    const { correction, span } = this.decision;
    const shown = correction?.unit >= 0 ? correction : this.offer;
    if (!shown) return;
    const unit = this.view.data.contextUnits[shown.unit];
    const at = placeOf(unit, this.words.value.trim());
    this.view.fields.problem.textContent = at ? "" : "These words are not in the sentence of the source.";
    if (!at || String(at) === String(shown.at)) return;
    const all = at[0] === 0 && at[1] === unit.t.length;
    const narrower = String(shown.span) === String(this.whole) ? span || this.whole : shown.span;
    this.decide({ ...shown, at, span: all ? this.whole : narrower });
  }

  paint(decision) {
    const { view } = this;
    this.sentence = view.sentence;
    const corrects = view.sentence !== WHOLE && Boolean(view.data.rulings.find((r) => r.id === decision.ruling)?.wrong);
    const { correction, span } = decision;
    const [taken, struck] = [correction?.unit >= 0, correction?.unit === -1];
    const shown = correction || this.offer;
    this.node.hidden = this.label.hidden = !corrects;
    this.node.setAttribute("aria-label", `Correction of sentence ${view.sentence + 1}`);
    this.name.textContent = `Quoted words for sentence ${view.sentence + 1}`;
    this.quote.disabled = this.strike.disabled = !corrects;
    this.words.disabled = !corrects || !(taken || (shown && !struck));
    this.quote.setAttribute("aria-pressed", String(taken));
    this.strike.setAttribute("aria-pressed", String(struck));
    this.text.replaceChildren(...(corrects ? this.said(shown, span, Boolean(correction)) : []));
    if (view.root.getRootNode().activeElement !== this.words) this.words.value = this.words.disabled ? "" : quoteOf(view.data, shown);
    if (this.taking !== view.sentence) this.taking = undefined;
    else if (!this.waiting) {
      this.taking = undefined;
      setTimeout(() => this.take(), 0);
    }
  }

  // What goes and what comes; a cite says where from.
  said(shown, span, taken) {
    if (!shown) return [this.waiting ? "…" : "Choose the passage (s), to quote what it says here."];
    const { data } = this.view;
    const all = String(shown.span) === String(this.whole);
    const goes = el("del", { dir: "auto" }, all ? "the sentence" : wordsIn(data.response.units[this.sentence], ...shown.span));
    const comes = shown.unit >= 0 ? [el("ins", { dir: "auto" }, `“${quoteOf(data, shown)}”`), el("span", { class: "soft" }, ` ${shown.cite}`)] : [];
    return [taken ? "" : "The source says: ", goes, " ", ...comes];
  }
}

const quoteOf = (data, { unit, at }) => wordsIn(data.contextUnits[unit], ...at);

// The correction in its sentence: what goes is struck out by a layer, and what comes stands after it.
function drawCorrection(node, data, correction) {
  const last = correction && [...node.querySelectorAll("mark.goes")].at(-1);
  if (last && correction.unit >= 0) last.after(el("ins", { dir: "auto" }, `“${quoteOf(data, correction)}”`));
}
