// The layer of gold labels: what annotators marked in the response, and the context sentences they gave as evidence.

const SHORT_TYPES = {
  "Factual inaccuracy": "fact", "Contextual misinterpretation": "context", "Procedural error": "procedure",
  "Reasoning error": "reasoning", "Misattribution": "source", "Terminological error": "term",
};

const goldWrong = (g) => g.e.length + g.u.length > 0;
const goldTypes = (g) => [...new Set([...g.e.map((e) => e.type), ...(g.u.length ? ["Not supported"] : [])])];
const goldSpans = (g) => [...g.e.map((e) => e.span), ...g.u];

// A row of the strip: what is wrong by the labels, so that each method can be read against it.
function goldRow(data, choose) {
  const row = el("tr", { class: "gold" }, el("th", { scope: "row", title: "What annotators marked as wrong, and the sentences they gave evidence for" }, "Gold labels"));
  data.response.units.forEach((unit, i) => {
    if (unit.h) return;
    const g = data.gold[i];
    if (!goldWrong(g) && !g.c.length) return row.append(el("td", {}, el("span", { class: "none" })));
    const types = goldTypes(g);
    const words = types.map((t) => SHORT_TYPES[t] || "wrong").join(", ");
    const cell = el("button", { class: types.length ? "cell wrong" : "cell sound", type: "button", tabindex: "-1", title: types.join(" · ") || "supported" }, types.length ? words : "✓");
    cell.setAttribute("aria-label", `Sentence ${i + 1}, gold label: ${types.join(", ") || "supported"}`);
    cell.addEventListener("click", () => choose({ sentence: i, focus: "none" }));
    row.append(el("td", {}, cell));
  });
  const wrong = data.gold.filter(goldWrong).length;
  row.append(el("td", { class: "reading" }, wrong ? `${wrong} labelled wrong` : "none labelled wrong"));
  return row;
}

// Under the texts: why the sentence is wrong, and where the method ranks the gold evidence.
function goldPanel(data, method, i, show) {
  const panel = el("section", { class: "panel goldpanel", "aria-label": "Gold labels" });
  panel.append(el("h2", {}, `Gold labels of sentence ${i + 1}`));
  const g = data.gold[i];
  if (!g || (!goldWrong(g) && !g.c.length)) {
    panel.append(el("p", { class: "soft" }, "Nobody has labelled this sentence."));
    return panel;
  }
  for (const { span, type, why, stance } of g.e) {
    const words = data.response.units[i].t.slice(span[0], span[1]);
    panel.append(el("p", {}, el("mark", { class: "gold-error" }, words), ": ", el("b", {}, type), `. ${why}`, stance ? el("span", { class: "soft" }, ` (${stance})`) : null));
  }
  for (const [a, b] of g.u) {
    panel.append(el("p", {}, el("mark", { class: "gold-error" }, data.response.units[i].t.slice(a, b).slice(0, 200)), ": labelled as not supported."));
  }
  if (!goldWrong(g)) panel.append(el("p", {}, "Labelled as supported."));
  if (g.c.length) {
    const button = el("button", { type: "button", class: "next" }, "Show the gold evidence");
    button.addEventListener("click", () => show(g.c[0]));
    panel.append(el("p", { class: "soft" }, `Gold evidence: ${goldRanks(data, method, i, g)}.`), button);
  }
  return panel;
}

// "p4 · Rule 37(e), sentence 1 (best match), 3 (match 7)": where the evidence stands, and where this method ranks it.
function goldRanks(data, method, i, g) {
  const ranks = new Map((method.near ? method.near[i] : []).map(([j], k) => [j, k + 1]));
  const passages = [...new Set(g.c.map((j) => data.unitPassages[j]))];
  return passages.map((p) => {
    const first = data.unitPassages.indexOf(p);
    const sentences = g.c.filter((j) => data.unitPassages[j] === p).map((j) => {
      const rank = ranks.get(j);
      const words = !method.near ? "" : rank === 1 ? " (best match)" : rank ? ` (match ${rank})` : " (not matched)";
      return `${j - first + 1}${words}`;
    });
    return `${data.context[p].source}, sentence ${sentences.join(", ")}`;
  }).join("; ");
}
