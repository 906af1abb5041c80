// The sources: a list of them with what each supports, the way from one to the next, and a search.

function dropdown(label, css, ...children) {
  const box = el("details", { class: `drop ${css}` }, el("summary", {}, label), el("div", { class: "dropped" }, ...children));
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !box.open) return;
    box.open = false;
    box.querySelector("summary").focus();
    event.stopPropagation();
  });
  box.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !box.contains(event.relatedTarget)) box.open = false;
  });
  return box;
}

// A click beside an open one closes it.
function closeDropdowns(root, target) {
  for (const box of root.querySelectorAll(".drop[open]")) if (!box.contains(target)) box.open = false;
}

const counted = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;

// Each passage with the findings whose place it holds, and the other sentences that it is nearest to.
function sourceList(view) {
  const { data } = view;
  const documents = new Map();
  data.context.forEach((p, k) => documents.set(p.document || k, [...(documents.get(p.document || k) || []), k]));
  const items = data.context.map((passage, k) => {
    const [inside, title] = [(documents.get(passage.document) || []).length > 1, passage.source];
    const named = inside && title.startsWith(`${passage.document}, `) ? title.slice(passage.document.length + 2) : title;
    const [button, about] = [el("button", { type: "button", class: "link", dir: "auto" }, named), el("span", { class: "soft" })];
    button.addEventListener("click", () => view.showSource(k));
    return { node: el("li", {}, button, " ", about), about };
  });
  // A document stands once, over its passages; one without a title is a document of its own.
  const listed = [...documents].map(([name, of]) => (of.length === 1 ? items[of[0]].node : el("li", { dir: "auto" }, `${name}: ${counted(of.length, "passage")}`, el("ul", {}, ...of.map((k) => items[k].node)))));
  const node = dropdown(counted(documents.size, "source"), "sourcelist", el("ul", {}, ...listed));
  const paint = (method) => {
    const [findings, nearest] = [new Map(), new Map()];
    const add = (map, k, i) => map.set(k, [...new Set([...(map.get(k) || []), i + 1])]);
    data.findings.forEach((of, i) => of.forEach((f) => f.place && add(findings, f.place.p, i)));
    (method.best || []).forEach((j, i) => j >= 0 && !data.findings[i].length && add(nearest, data.unitPassages[j], i));
    const numbers = (of) => `${of.length === 1 ? "sentence" : "sentences"} ${of.slice(0, 12).join(", ")}${of.length > 12 ? " …" : ""}`;
    items.forEach(({ about }, k) => {
      const [first, then] = [findings.get(k), nearest.get(k)];
      about.textContent = [first && `to read beside ${numbers(first)}`, then && `nearest to ${numbers(then)}`].filter(Boolean).join("; ");
    });
  };
  return { node, paint };
}

const MOST_FOUND = 1000;

// Words looked for in the sources; what is found is marked without touching the text.
class Search {
  constructor(view) {
    this.view = view;
    this.found = [];
    this.at = -1;
    this.input = el("input", { type: "search", placeholder: "Search the sources", "aria-label": "Search the sources", "aria-keyshortcuts": "/", maxlength: "200" });
    this.count = el("span", { class: "soft", role: "status" });
    this.node = el("span", { class: "search" }, this.input, this.count);
    this.input.addEventListener("input", () => this.look());
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.step(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") this.clear();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  look() {
    const query = this.input.value.trim().toLowerCase();
    this.found = query.length < 2 ? [] : [...rangesOf(this.view.context.pane, query)];
    this.at = -1;
    this.mark();
    if (this.found.length) this.step(1);
    else this.count.textContent = query.length < 2 ? "" : "not found";
  }

  clear() {
    this.input.value = "";
    this.look();
    this.view.context.pane.focus({ preventScroll: true });
  }

  step(way) {
    const many = this.found.length;
    if (!many) return;
    this.at = (this.at + way + many) % many;
    this.count.textContent = `${this.at + 1} of ${many.toLocaleString("en")}${many === MOST_FOUND ? " or more" : ""}`;
    this.mark();
    this.view.setView("text");
    this.view.showView();
    this.view.scrollTo(this.found[this.at]);
    setTimeout(() => this.found[this.at] && this.view.scrollTo(this.found[this.at]), 0);
  }

  // The texts were drawn again: the matches are in other nodes.
  renew() {
    if (!this.found.length) return;
    this.found = [...rangesOf(this.view.context.pane, this.input.value.trim().toLowerCase())];
    this.mark();
  }

  mark() {
    if (!window.CSS || !CSS.highlights) return;
    CSS.highlights.set("groundscope-found", new Highlight(...this.found));
    CSS.highlights.set("groundscope-at", new Highlight(...this.found.slice(this.at, this.at < 0 ? 0 : this.at + 1)));
  }
}

// Where words stand in the texts of a pane, over the borders of sentences too; support numbers and hints are no text.
function* rangesOf(pane, query) {
  let count = 0;
  for (const body of pane.querySelectorAll(".body, h3")) {
    const [nodes, starts] = [[], []];
    let text = "";
    const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      if (walker.currentNode.parentNode.closest("sup, .hidden")) continue;
      nodes.push(walker.currentNode);
      starts.push(text.length);
      text += lowered(walker.currentNode.data);
    }
    const place = (k) => {
      let n = starts.length - 1;
      while (starts[n] > k) n -= 1;
      return [nodes[n], k - starts[n]];
    };
    for (let k = text.indexOf(query); k >= 0 && count < MOST_FOUND; k = text.indexOf(query, k + query.length), count += 1) {
      const range = document.createRange();
      range.setStart(...place(k));
      const [node, offset] = place(k + query.length - 1);
      range.setEnd(node, offset + 1);
      yield range;
    }
  }
}

// Lower case of the same length: a letter that becomes two, as in Turkish, stays.
function lowered(text) {
  const low = text.toLowerCase();
  return low.length === text.length ? low : [...text].map((c) => (c.toLowerCase().length === c.length ? c.toLowerCase() : c)).join("");
}
