// A decision: its fields, what the source says in the place of the wrong words, and what waits to be saved.

// Type, wrong words, the passage, a note. Saved on blur, for the sentence that the fields name.
class Fields {
  constructor(view) {
    this.view = view;
    this.sentence = view.sentence;
    this.names = [];
    this.typed = null;
    this.type = this.field("t", "Error type of", "select", {}, el("option", { value: "" }, "no error type"), ...view.data.types.map((t) => el("option", { value: t.id }, t.title)));
    this.words = this.field("w", "Wrong words of", "input", { type: "text", maxlength: "2000" });
    this.note = this.field("n", "Note on", "textarea", { rows: "1", maxlength: "4000" });
    this.passage = el("span", { class: "soft passage", dir: "auto" });
    this.problem = el("span", { class: "flag", role: "alert" });
    this.correction = new Correction(view);
    const below = el("div", { class: "below" }, this.passage, this.correction.node, view.search.node);
    const [type, words, note] = [this.type, this.words, this.note].map((field) => field.parentNode);
    this.node = el("div", { class: "reviewfields" }, type, words, this.correction.label, note, this.problem, below);
    this.type.addEventListener("change", () => view.decide({ type: this.type.value || null }, this.sentence));
    this.words.addEventListener("change", () => this.wrong(this.words.value, this.sentence));
    this.note.addEventListener("change", () => view.decide({ note: this.note.value }, this.sentence));
    this.node.addEventListener("keydown", (event) => this.end(event));
    this.node.addEventListener("input", (event) => { this.typed = event.target; });
    this.node.addEventListener("change", () => { this.typed = null; });
    this.node.addEventListener("focusout", (event) => { this.interrupted = dialogOfPage() ? event.target : null; });
    this.node.addEventListener("focusin", () => { this.interrupted = null; });
  }

  // A dialog of the page, as when the server is away, takes the focus from what is typed; the keys that follow are of the field.
  resume() {
    if (this.interrupted && !dialogOfPage()) this.interrupted.focus({ preventScroll: true });
  }

  // Its label names the sentence, and is kept up with it.
  field(key, words, tag, attributes, ...children) {
    const name = el("span");
    this.names.push(() => { name.textContent = `${words} ${this.view.words(this.sentence)}`; });
    const field = el(tag, { ...attributes, "aria-keyshortcuts": key }, ...children);
    el("label", {}, el("span", { class: "soft" }, el("kbd", { "aria-hidden": "true" }, key), " ", name), field);
    return field;
  }

  // Enter goes on to the next sentence, Escape back to this one; words that are not in it stay to be put right.
  end(event) {
    const ends = event.key === "Escape" || (event.key === "Enter" && !event.shiftKey);
    if (!ends || event.isComposing || this.view.search.node.contains(event.target)) return;
    event.preventDefault();
    event.stopPropagation();
    this.leave();
    if (event.key === "Escape") this.view.go(this.sentence);
    else if (event.target === this.words && this.problem.textContent) this.words.focus();
    else this.view.goOn();
  }

  // A field that has the focus keeps what is typed; leaving it saves that.
  leave() {
    this.interrupted = null;
    const active = this.view.root.getRootNode().activeElement;
    if (this.node.contains(active)) active.blur();
  }

  // Saves what a field still holds that is taken away before the focus leaves it.
  finish() {
    this.typed?.dispatchEvent(new Event("change", { bubbles: true }));
  }

  wrong(words, sentence) {
    const span = placeOf(this.view.data.response.units[sentence], words.trim());
    this.problem.textContent = words.trim() && !span ? `Not in ${this.view.words(sentence)}: “${words.trim()}”` : "";
    if (span || !words.trim()) this.view.decide({ span }, sentence);
  }

  paint(decision) {
    const { data, sentence } = this.view;
    if (this.sentence !== sentence) this.leave();
    this.sentence = sentence;
    for (const name of this.names) name();
    const active = this.view.root.getRootNode().activeElement;
    if (active !== this.type) this.type.value = decision.type || "";
    if (active !== this.words) this.words.value = decision.span ? wordsIn(data.response.units[sentence], ...decision.span) : "";
    if (active !== this.note) this.note.value = decision.note;
    this.words.disabled = sentence === WHOLE;
    this.passage.textContent = `${data.settled[sentence] ?? ""}${this.view.name(sentence)} rests on: ${decision.rests >= 0 ? bare(data.contextUnits[decision.rests]).text : "no passage chosen (click one, or press s)"}`;
    this.passage.title = this.passage.textContent;
    this.correction.paint(decision);
    this.passage.hidden = !this.correction.node.hidden;
    this.resume();
  }
}

const dialogOfPage = () => document.querySelector("[role=dialog]");

// The source's words in the place of the wrong ones: offered, taken with one key, narrowed to words of it.
class Correction {
  constructor(view) {
    this.view = view;
    this.quote = keyButton("c", "Quote the source", () => this.take(), { class: "next ruling" });
    this.strike = keyButton("x", "Strike out", () => this.strikeOut(), { class: "next ruling" });
    this.words = el("input", { type: "text", "aria-keyshortcuts": "q", maxlength: "2000", dir: "auto" });
    this.words.addEventListener("change", () => this.narrow());
    this.words.addEventListener("keydown", (event) => this.stay(event));
    this.text = el("span", { class: "corrected", dir: "auto", tabindex: "0" });
    this.name = el("span");
    this.label = el("label", { class: "quoted" }, el("span", { class: "soft" }, el("kbd", { "aria-hidden": "true" }, "q"), " ", this.name), this.words);
    this.node = el("div", { class: "correction", role: "group" }, this.quote, this.strike, this.text);
  }

  get decision() {
    return this.view.of(this.sentence);
  }

  get offer() {
    return this.waiting ? null : this.view.data.decisions[this.sentence]?.offer;
  }

  // What waits to be saved may change the offer.
  get waiting() {
    return this.view.waiting.here.some((item) => item.undo || item.sentence === this.sentence);
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

  // Where no passage is chosen, the one that a finding names.
  get seen() {
    const place = this.view.data.findings?.of[this.sentence]?.find((f) => f.certainty !== "doubtful" && f.place?.at[0])?.place;
    return place && this.decision.rests < 0 ? { rests: place.at[0][0] } : {};
  }

  // What the source says; where what waits may change that, the server takes it for this sentence, whichever is open then.
  take() {
    if (this.quote.disabled) return;
    if (this.decision.correction?.unit >= 0) this.decide(null);
    else if (this.offer) this.decide(this.offer);
    else if (this.waiting) this.view.decide({ take: true, ...this.seen }, this.sentence);
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
  }

  // What goes and what comes; a cite says where from.
  said(shown, span, taken) {
    if (!shown && this.waiting) return ["…"];
    if (!shown) return [this.decision.rests >= 0 ? "Name the wrong words (w), to quote one cell of this row." : "Choose the passage (s), to quote what it says here."];
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
    if (first && this.items.length) this.send();
  }

  push(...items) {
    this.hold([...this.items, ...items.map((item) => ({ ...item, case: this.view.data.key, n: this.count(), id: `${this.window}.${this.last}` }))]);
    this.send();
  }

  // Each time another value: what a server got before it began to listen, as when it comes back, is heard the next time.
  send() {
    this.sent = (this.sent || 0) + 1;
    this.view.send(this.items.map((item) => ({ ...item, sent: this.sent })));
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
