// Settling a difference: the sentence in its answer, the passages that each reviewer named, what each decided, and what holds.

const desks = new WeakMap();

export default function (component) {
  const { data, parentElement } = component;
  const desk = desks.get(parentElement) ?? new Desk(parentElement);
  desks.set(parentElement, desk);
  desk.send = (item) => component.setTriggerValue("item", { ...item, id: desk.data.id });
  desk.update(data);
  return () => {
    document.removeEventListener("keydown", desk.onKey);
    desk.sizes?.disconnect();
    desks.delete(parentElement);
  };
}

const SETTLE_KEYS = [
  [["d"], "next difference"], [["D"], "the one before"], [["1", "2", "…"], "settle it as this reviewer decided"], [["0"], "another decision"],
  [["n"], "a note"], [["Enter"], "settle, and go to the next difference"], [["o"], "open it again"], [["/"], "search the sources"], [["?"], "these keys"],
];

class Desk {
  constructor(parent) {
    this.root = parent.querySelector(".groundscope");
    this.root.classList.add("settling");
    this.early = [];
    this.onKey = (event) => settleKey(this, event);
    document.addEventListener("keydown", this.onKey);
  }

  update(data) {
    const [sameCase, same] = [this.data?.key === data.key, this.data?.id === data.id];
    if (sameCase && same) data.contextUnits = this.data.contextUnits;
    this.data = data;
    this.sent = false;
    if (same) return this.paintHead();
    // People, -1 for another decision, null before one is chosen.
    this.chosen = null;
    const focused = Boolean(this.root.getRootNode().activeElement && this.root.contains(this.root.getRootNode().activeElement));
    data.contextUnits = data.context.flatMap((p) => p.units);
    data.unitPassages = data.context.flatMap((p, k) => p.units.map(() => k));
    if (sameCase) this.renew();
    else this.build();
    this.paint();
    this.paintHead();
    if (focused) this.node().focus({ preventScroll: true });
    this.show();
  }

  // The sentence and the first of the passages into view, also when the panes get their size or another one.
  show() {
    scrollInto(this.response.pane, this.node());
    scrollInto(this.context.pane, this.places()[0]);
  }

  build() {
    const { data } = this;
    const go = (sentence) => {
      const at = data.places[sentence];
      if (at !== undefined && at !== data.at) this.send({ go: at });
    };
    this.response = responsePane(data, ({ sentence }) => go(sentence));
    this.whole = wholeAnswer(this.response.pane, () => go(WHOLE));
    this.context = contextPane(data);
    this.search = new Search(this);
    this.keys = keysDialog(SETTLE_KEYS);
    this.live = el("p", { class: "hidden", role: "status", "aria-live": "polite" });
    this.top = el("div");
    this.panes = twoTexts(this);
    this.sizes?.disconnect();
    this.sizes = new ResizeObserver(() => this.show());
    this.sizes.observe(this.panes);
    this.root.replaceChildren(this.top, this.panes, this.keys, this.live);
    this.renew();
  }

  // What stands over the texts, for the difference that is open.
  renew() {
    const { data } = this;
    this.title = el("b");
    this.state = el("span", { class: "soft progress" });
    this.before = keyButton("D", "Previous", () => this.step(-1), { "aria-keyshortcuts": "Shift+d" });
    this.after = keyButton("d", "Next", () => this.step(1));
    this.cards = data.people.map((d, n) => this.card(d, keyButton(`${n + 1}`, `as ${d.name} decided`, () => this.choose(n))));
    this.ruling = el("select", { "aria-label": "Decision, if another one" }, ...data.rulings.map((r) => el("option", { value: r.id }, r.title)));
    this.type = el("select", { "aria-label": "Type of the error" }, el("option", { value: "" }, "no error type"), ...data.types.map((t) => el("option", { value: t.id }, t.title)));
    for (const field of [this.ruling, this.type]) field.addEventListener("change", () => this.choose(-1));
    const another = keyButton("0", "another decision", () => this.choose(-1));
    this.cards.push({ button: another, node: el("div", { class: "decided another" }, another, el("div", {}, this.ruling, this.type)) });
    this.note = el("textarea", { rows: "1", placeholder: "Note", "aria-label": "Note", "aria-keyshortcuts": "n", maxlength: "4000" });
    this.note.addEventListener("keydown", (event) => this.leave(event));
    this.settle = keyButton("Enter", "Settle", () => this.decide(), { class: "next settle" });
    this.reopen = keyButton("o", "Open it again", () => this.open(), { hidden: !data.settled });
    this.top.replaceChildren(
      el("div", { class: "reviewhead" }, this.title, this.before, this.after, helpButton(this), this.state, this.search.node),
      el("p", { class: "asked", dir: "auto", title: data.query }, data.query || "(no question)"),
      el("div", { class: "decisions", role: "group", "aria-label": "What each decided" }, ...this.cards.map((c) => c.node)),
      el("div", { class: "reviewfields" }, this.note, this.settle, this.reopen));
  }

  card(d, button) {
    const { data } = this;
    const [unit, type] = [data.response.units[data.sentence], data.types.find((t) => t.id === d.type)];
    const show = el("button", { type: "button", class: "next show", "aria-label": `Show the passage that ${d.name} named` }, "Show");
    show.addEventListener("click", () => scrollInto(this.context.pane, this.context.nodes[d.rests]));
    const line = (label, words, ...more) => words && el("p", { dir: "auto" }, el("span", { class: "soft" }, `${label}: `), words, ...more);
    const rests = d.rests >= 0 ? `${data.context[data.unitPassages[d.rests]].source}: “${bare(data.contextUnits[d.rests]).text}”` : "";
    return { button, node: el("div", { class: "decided" }, button, " ",
      el("b", {}, `${d.ruling}${type ? `: ${type.title.toLowerCase()}` : ""}`),
      line("Wrong words", d.span && wordsIn(unit, ...d.span)), line("Note", d.note),
      line("Rests on", rests || "no passage named", rests ? show : null)) };
  }

  // Escape and Enter leave the note; with Shift, Enter is a new line.
  leave(event) {
    if (event.key !== "Escape" && (event.key !== "Enter" || event.shiftKey)) return;
    event.preventDefault();
    event.stopPropagation();
    this.settle.focus({ preventScroll: true });
  }

  node() {
    return this.data.sentence === WHOLE ? this.whole : this.response.nodes[this.data.sentence];
  }

  // The marked passages, from the top.
  places() {
    return [...this.marked.keys()].sort((a, b) => a - b).map((j) => this.context.nodes[j]);
  }

  setView() {}
  showView() {}
  scrollTo(range) {
    scrollInto(this.context.pane, range);
  }

  paint() {
    const { data } = this;
    for (const [i, node] of [...this.response.nodes.entries(), [WHOLE, this.whole]]) {
      if (data.response.units[i]?.h) continue;
      const [now, differs] = [i === data.sentence, data.places[i] !== undefined];
      node.className = `s ${i === WHOLE ? "whole" : ""} ${differs ? "ruled" : ""}`;
      node.setAttribute("aria-selected", String(now));
      node.tabIndex = now ? 0 : -1;
      const spans = now && i !== WHOLE ? data.people.filter((d) => d.span).map((d) => d.span) : [];
      draw(node, i === WHOLE ? { t: "Whole answer" } : data.response.units[i], [{ css: "differs", spans }],
        el("sup", { "aria-hidden": "true" }, differs ? "≠" : ""), el("span", { class: "hidden" }, differs ? " Reviewers differ." : ""));
    }
    for (const [j, node] of this.marked || []) {
      node.classList.remove("rests");
      draw(node, data.contextUnits[j], []);
    }
    this.marked = new Map();
    const named = new Map();
    for (const d of data.people) if (d.rests >= 0) named.set(d.rests, [...(named.get(d.rests) || []), d.name]);
    if (!named.size && data.nearest >= 0) named.set(data.nearest, ["nearest by its words"]);
    for (const [j, names] of named) {
      const node = this.context.nodes[j];
      node.classList.add("rests");
      draw(node, data.contextUnits[j], [], el("sup", { class: "whose" }, names.join(", ")));
      this.marked.set(j, node);
    }
  }

  paintHead() {
    const { data } = this;
    this.title.textContent = data.sentence === WHOLE ? "Whole answer" : `Sentence ${data.sentence + 1}`;
    const settled = data.settled ? ` Settled by ${data.settled}.` : "";
    this.state.textContent = `Difference ${data.at + 1} of ${data.of}.${settled || ` ${data.last}`}${this.early.length ? ` Not taken: ${this.early.join(" ")}, pressed before this difference was drawn.` : ""}`;
    this.live.textContent = this.state.textContent;
    [this.before.disabled, this.after.disabled] = [data.at === 0, data.at + 1 === data.of];
    this.cards.forEach(({ button }, n) => button.setAttribute("aria-pressed", String(this.chosen === (n < data.people.length ? n : -1))));
    this.settle.disabled = this.chosen === null || this.sent || Boolean(data.refused);
    this.settle.title = data.refused;
  }

  choose(n) {
    [this.chosen, this.early] = [n, []];
    this.paintHead();
    // Enter settles then.
    if (n >= 0) this.settle.focus({ preventScroll: true });
    else if (this.root.getRootNode().activeElement !== this.type) this.ruling.focus({ preventScroll: true });
  }

  // What was not seen is not settled: a key before the next difference is drawn is of none.
  refuse(key) {
    this.early.push(key);
    this.paintHead();
  }

  step(way) {
    const at = this.data.at + way;
    this.early = [];
    if (at >= 0 && at < this.data.of) this.send({ go: at });
  }

  decide() {
    if (this.settle.disabled) return;
    this.sent = true;
    this.node().focus({ preventScroll: true });
    this.paintHead();
    this.send({ settle: true, as: this.chosen, ruling: this.ruling.value, type: this.type.value || null, note: this.note.value });
  }

  open() {
    if (this.data.settled) this.send({ settle: false });
  }
}

function settleKey(desk, event) {
  if (isElsewhere(desk, event, "input")) return;
  const target = event.composedPath()[0];
  const [inSelect, inButton] = ["select", "button"].map((of) => target instanceof Element && target.closest(of));
  const person = Number(event.key) - 1;
  // A letter never chooses in a list: it is a command, or nothing.
  const command = event.key === "Enter" ? !inButton : event.key.length === 1 && event.key !== " ";
  if (inSelect && !command) return;
  if (desk.sent && command) desk.refuse(event.key);
  else if (event.key === "Enter" && !inButton) desk.decide();
  else if (event.key === "d") desk.step(1);
  else if (event.key === "D") desk.step(-1);
  else if (event.key === "0") desk.choose(-1);
  else if (event.key > "0" && event.key <= "9" && person < desk.data.people.length) desk.choose(person);
  else if (event.key === "n") desk.note.focus();
  else if (event.key === "o") desk.open();
  else if (event.key === "/") desk.search.input.focus();
  else if (event.key === "?") desk.keys.showModal();
  else if (!inSelect) return;
  event.preventDefault();
}
