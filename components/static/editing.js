// Type over a sentence of the answer or of a source. The page gets what was typed, and scores the case with it again.

class SentenceEditor {
  constructor(view) {
    this.view = view;
    this.editAnswer = el("button", { type: "button", class: "next", "aria-keyshortcuts": "e" }, "Edit sentence ", el("kbd", { "aria-hidden": "true" }, "e"));
    this.editSource = el("button", { type: "button", class: "next", "aria-keyshortcuts": "Shift+e" }, "Edit source sentence");
    this.editAnswer.addEventListener("click", () => this.open("response", this.view.sentence));
    this.editSource.addEventListener("click", () => this.open("source", this.nearest));
    this.title = el("h2", {});
    this.box = el("textarea", { dir: "auto", rows: "3", spellcheck: "false" });
    this.problem = el("p", { class: "flag", role: "alert" });
    this.steps = [["Previous source sentence", -1], ["Next source sentence", 1]].map(([label, way]) => {
      const button = el("button", { type: "button", class: "next" }, label);
      button.addEventListener("click", () => this.open("source", this.index + way, button));
      return button;
    });
    const cancel = el("button", { type: "button", class: "next" }, "Cancel");
    cancel.addEventListener("click", () => this.close());
    this.node = el("form", { class: "editor", hidden: true, "aria-label": "Edit a sentence" }, this.title, this.box,
      el("div", {}, el("button", { type: "submit", class: "next apply" }, "Apply and score"), cancel, ...this.steps),
      this.problem,
      el("p", { class: "soft" }, "Ctrl+Enter applies, Esc cancels; an empty text deletes the sentence. The edit stays in this session; links and saved results do not include it."));
    this.node.addEventListener("submit", (event) => {
      event.preventDefault();
      this.apply();
    });
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("input", () => this.paintSteps());
    for (const [pane, selector, where, nodes] of [[view.response.pane, ".s[role=option]", "response", view.response.nodes], [view.context.pane, ".c", "source", view.context.nodes]]) {
      pane.addEventListener("dblclick", (event) => {
        const node = event.target.closest?.(selector);
        if (node && !view.data.small) this.open(where, nodes.indexOf(node));
      });
    }
  }

  // The source sentence that stands beside the chosen sentence; where there is none, the first.
  paint(method) {
    const best = method.best && this.view.sentence >= 0 ? method.best[this.view.sentence] : -1;
    this.nearest = Math.max(0, best);
    this.editAnswer.disabled = this.view.sentence < 0;
    this.editSource.disabled = !this.view.data.unitTexts.length;
  }

  textOf(where, index) {
    return where === "response" ? this.view.data.response.units[index].t : this.view.data.unitTexts[index];
  }

  open(where, index, focus = this.box) {
    [this.where, this.index] = [where, index];
    this.node.hidden = false;
    this.box.value = this.textOf(where, index);
    this.before = this.box.value;
    this.problem.textContent = "";
    const passage = this.view.data.unitPassages[index];
    const place = where === "response" ? `Sentence ${index + 1} of the answer` : `Source ${passage + 1}, sentence ${index - this.view.data.unitPassages.indexOf(passage) + 1}`;
    this.title.textContent = place;
    this.box.setAttribute("aria-label", place);
    for (const step of this.steps) step.hidden = where === "response";
    this.paintSteps();
    (focus.disabled ? this.box : focus).focus({ preventScroll: true });
    this.node.scrollIntoView({ block: "nearest" });
    if (where === "source") this.view.scrollTo(this.view.context.nodes[index]);
  }

  // What was typed is not lost by a step to another sentence.
  paintSteps() {
    const typed = this.box.value !== this.before;
    this.steps[0].disabled = typed || this.index === 0;
    this.steps[1].disabled = typed || this.index + 1 >= this.view.data.unitTexts.length;
  }

  close() {
    this.node.hidden = true;
    (this.where === "response" ? this.editAnswer : this.editSource).focus({ preventScroll: true });
  }

  key(event) {
    if (event.key === "Escape") this.close();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.apply();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  apply() {
    const [text, most] = [this.box.value, this.view.data.longestEdit];
    const long = text.length > most ? `This text has ${text.length.toLocaleString("en")} characters; type at most ${most.toLocaleString("en")}, or paste a case of your own on the Cases page.` : "";
    this.problem.textContent = long || (text === this.before ? "Nothing changed." : "");
    if (this.problem.textContent) return;
    editedCase = this.view.data.caseKey;
    this.view.setTriggerValue("edit", { case: this.view.data.caseKey, where: this.where, index: this.index, sentence: this.view.sentence, text });
  }
}
