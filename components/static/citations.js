// The layer of citations: their states in the strip and in the response, a filter, and three questions about each one.

const CITE_STATES = {
  here: { words: "in the sources", sign: "✓" },
  different: { words: "in the sources, but different", sign: "≠" },
  absent: { words: "not in the sources", sign: "✗" },
  unread: { words: "could not be read", sign: "?" },
};
// Which citations are listed and marked; stays as the user set it.
let citeFilter = "all";
const CITE_FILTERS = [
  ["all", "All citations"], ["doubtful", "All but those in the sources"], ["different", "Different in the sources"], ["absent", "Not in the sources"],
  ["unread", "Could not be read"], ["quotes", "Quotations not word for word"], ["none", "None: hide the layer"],
];

function citeShown(state) {
  return citeFilter === "all" || citeFilter === state || (citeFilter === "doubtful" && state !== "here");
}

const quoteShown = () => citeFilter === "all" || citeFilter === "doubtful" || citeFilter === "quotes";
const citesOf = (data, i) => (data.citations ? data.citations.items.filter((c) => c.u === i && citeShown(c.state)) : []);
const wrongQuotesOf = (data, i) => (data.citations && quoteShown() ? data.citations.quotes.filter((q) => q.u === i && !q.ok) : []);
const spansIn = (list, i) => list.filter(([u]) => u === i).map(([, a, b]) => [a, b]);

// The worst first, so that a cell shows what to check.
function worstState(cites) {
  return ["absent", "different", "unread", "here"].find((s) => cites.some((c) => c.state === s));
}

function citeLine(view) {
  const { data } = view;
  if (!data.citations) return el("span", { class: "nocite soft" }, "No legal citation, no quotation");
  const options = CITE_FILTERS.map(([value, label]) => el("option", { value, selected: value === citeFilter }, label));
  const select = el("select", { "aria-label": "Which citations are marked" }, ...options);
  select.addEventListener("change", () => {
    citeFilter = select.value;
    view.renewStrip();
    view.paint({ scroll: false, focus: "none" });
  });
  const doubtful = data.citations.items.some((c) => c.state !== "here") || data.citations.quotes.some((q) => !q.ok);
  const next = doubtful ? el("button", { type: "button", class: "next" }, "Next doubtful citation") : null;
  if (next) next.addEventListener("click", () => view.nextCitation());
  const counted = data.citations.items.length + data.citations.quotes.length;
  const label = doubtful ? `Citations: ${doubtfulSentences(data).length} to read` : `Citations: ${counted}`;
  return dropdown(label, "citeline", el("p", { dir: "auto" }, data.citations.summary, data.citations.note ? el("span", { class: "soft" }, ` ${data.citations.note}`) : null),
    el("label", { class: "switch" }, "Mark ", select), next);
}

// Sentences whose citations or quotations need a look.
function doubtfulSentences(data) {
  const doubtful = data.citations ? [...data.citations.items.filter((c) => c.state !== "here"), ...data.citations.quotes.filter((q) => !q.ok)].map((x) => x.u) : [];
  return [...new Set(doubtful)].filter((u) => u >= 0 && !data.response.units[u].h).sort((a, b) => a - b);
}

function citationRow(data, choose) {
  const row = el("tr", { class: "cites" }, el("th", { scope: "row", title: "Whether each legal citation is in the sources, and each quotation is word for word" }, "Citations"));
  data.response.units.forEach((unit, i) => {
    if (unit.h) return;
    const cites = citesOf(data, i);
    const wrong = wrongQuotesOf(data, i);
    if (!cites.length && !wrong.length) return row.append(el("td", {}, el("span", { class: "none" })));
    const worst = worstState(cites);
    const count = cites.length > 1 ? ` ${cites.length}` : "";
    const signs = [worst ? CITE_STATES[worst].sign + count : "", wrong.length ? "“✗”" : ""].filter(Boolean).join(" ");
    const words = [...cites.map((c) => `${c.text}: ${CITE_STATES[c.state].words}`), ...wrong.map((q) => `“${q.text}”: not word for word`)].join("; ");
    const cell = el("button", { class: `cell cited-${wrong.length && (!worst || worst === "here") ? "different" : worst}`, type: "button", tabindex: "-1", title: words }, signs);
    cell.setAttribute("aria-label", `Sentence ${i + 1}: ${words}`);
    cell.addEventListener("click", () => choose({ sentence: i, focus: "none" }));
    row.append(el("td", {}, cell));
  });
  const doubtful = data.citations.items.filter((c) => c.state !== "here" && citeShown(c.state)).length;
  const all = data.citations.items.filter((c) => citeShown(c.state)).length;
  const words = !all ? "none marked" : doubtful ? `${doubtful} of ${all} to check` : "all in the sources";
  row.append(el("td", { class: "reading", title: data.citations.summary }, words));
  return row;
}

// Marks in the text of a response sentence.
function citationLayers(data, i) {
  if (!data.citations || citeFilter === "none") return [];
  const layers = citesOf(data, i).map((c) => ({ css: `cite ${c.state}`, spans: spansIn(c.at, i), cite: data.citations.items.indexOf(c) }));
  for (const c of citesOf(data, i)) layers.push({ css: "differs citepart", spans: spansIn(c.marks, i) });
  const wrong = wrongQuotesOf(data, i);
  layers.push({ css: "misquoted", spans: wrong.flatMap((q) => spansIn(q.at, i)) });
  return layers.filter((l) => l.spans.length);
}

// For screen readers, after the sentence.
function citationHint(data, i) {
  const doubtful = citesOf(data, i).filter((c) => c.state !== "here").map((c) => `${c.text} ${CITE_STATES[c.state].words}`);
  return doubtful.length ? ` Citations: ${doubtful.join("; ")}.` : "";
}

// The panel of a sentence: is each authority there, is it quoted right, is the sentence flagged? Three answers.
function citationPanel(view, method, i, threshold) {
  const { data } = view;
  if (!data.citations || citeFilter === "none" || i < 0) return "";
  const citations = data.citations.items.filter((c) => (c.u === i || c.claim === i) && citeShown(c.state));
  const attached = new Set(citations.flatMap((c) => c.quotes));
  const loose = data.citations.quotes.filter((q, k) => q.u === i && !attached.has(k) && (quoteShown() && (!q.ok || citeFilter === "all")));
  if (!citations.length && !loose.length) return "";
  const panel = el("section", { class: "panel citepanel", "aria-label": "Citations" }, el("h2", {}, `Citations of sentence ${i + 1}`));
  if (citations.length) {
    const heads = ["Citation", "Is it in the sources?", "Is it quoted right?", `Is what it is cited for flagged? (${method.title})`];
    const rows = citations.map((c) => el("tr", {},
      el("td", { dir: "auto" }, el("mark", { class: `cite ${c.state}` }, c.text), c.u !== i ? el("span", { class: "soft" }, ` in sentence ${c.u + 1}, cited for this one`) : null),
      el("td", { dir: "auto" }, ...existsCell(view, c)),
      el("td", { dir: "auto" }, ...quotedCell(view, c)),
      el("td", {}, ...supportedCell(method, c, threshold))));
    panel.append(el("table", {}, el("thead", {}, el("tr", {}, ...heads.map((h) => el("th", { scope: "col" }, h)))), el("tbody", {}, ...rows)));
  }
  for (const q of loose) panel.append(el("p", { dir: "auto" }, ...quoteWords(view, q)));
  panel.append(el("p", { class: "soft" }, "Only the sources are searched. An authority that is not in them may still exist; one that is in them may not support the claim."));
  return panel;
}

function existsCell(view, c) {
  const sign = el("b", { class: `state ${c.state}` }, `${CITE_STATES[c.state].sign} ${CITE_STATES[c.state].words}`);
  const more = [c.differs, c.why].filter(Boolean).join(". ");
  const difference = c.place && c.state !== "here" && c.theirs ? el("span", { class: "soft" }, ` The sources have: ${c.theirs}.`) : null;
  return [sign, more ? `: ${more}.`.replace(/\.\.$/, ".") : "", difference, c.place ? showButton(view, c.place, `Show ${c.text} in the sources`) : null].filter(Boolean);
}

function quotedCell(view, c) {
  if (!c.quotes.length) return [el("span", { class: "soft" }, "no quotation")];
  return c.quotes.flatMap((k) => quoteWords(view, view.data.citations.quotes[k]));
}

function quoteWords(view, q) {
  const words = q.ok ? "✓ word for word" : "✗ not word for word";
  const more = q.note ? ` (${q.note})` : "";
  const cut = q.text.length > 90 ? `${q.text.slice(0, 88)}…` : q.text;
  const wrong = q.ok ? "" : q.wrong.map(([u, a, b]) => wordsIn(view.data.response.units[u], a, b)).join(", ");
  const nearest = !q.ok && !q.place ? el("span", { class: "soft" }, " Nothing similar is in the sources.") : null;
  return [
    el("div", { class: "quote" }, el("b", { class: `state ${q.ok ? "here" : "different"}` }, words), more, el("span", { class: "soft" }, ` “${cut}”`),
      wrong ? el("span", {}, ". Differs: ", el("mark", { class: "differs" }, wrong)) : null, nearest,
      q.place ? showButton(view, q.place, q.ok ? "Show the quotation in the sources" : "Show the nearest passage") : null),
  ];
}

function supportedCell(method, c, threshold) {
  const support = method.s ? method.s[c.claim] : null;
  const band = bandOf(support, threshold);
  const where = c.claim !== c.u ? ` sentence ${c.claim + 1}` : "";
  if (support === null || support === undefined) return [el("span", { class: "soft" }, "no verdict")];
  const words = { low: "flagged", near: "near the threshold", ok: "not flagged", none: "no threshold set" }[band];
  return [el("b", { class: `state ${{ low: "absent", near: "different", ok: "here", none: "" }[band]}` }, words), el("span", { class: "soft" }, `, ${shown(support)}${where ? `,${where}` : ""}`)];
}

function showButton(view, place, label) {
  const button = el("button", { type: "button", class: "next show", "aria-label": label }, label.startsWith("Show the nearest") ? "Show the nearest passage" : "Show in the sources");
  button.addEventListener("click", () => view.showPlace(place));
  return button;
}

// The requested place in the context pane; returns the node to scroll to.
function paintPlace(context, units, place) {
  for (const head of context.heads) head.classList.remove("cited");
  if (!place) return null;
  if (!place.at.length) {
    context.heads[place.p].classList.add("cited");
    return context.heads[place.p];
  }
  for (const [j, a, b] of place.at) {
    const node = context.nodes[j];
    const marks = spansIn(place.marks ?? [], j);
    const { layers = [], support } = context.painted.get(j) || {};
    // The requested differences take precedence over the marks of a match.
    const under = marks.length ? [{ css: "differs citepart", spans: marks }] : layers;
    draw(node, units[j], [{ css: "citedspan", spans: [[a, b]] }, ...under], support === undefined ? "" : el("sup", {}, shown(support)));
    node.classList.add("cited");
    if (!context.painted.has(j)) context.painted.set(j, {});
  }
  return context.nodes[place.at[0][0]];
}

function citeLegend(data) {
  if (!data.citations) return [];
  return Object.entries(CITE_STATES).filter(([state]) => data.citations.items.some((c) => c.state === state))
    .map(([state, { words }]) => el("span", {}, el("mark", { class: `cite ${state}` }, "citation"), ` ${words}`));
}
