// The layer of gold labels: what annotators marked in the response, and the context sentences they gave as evidence.

const SHORT_TYPES = {
  "Factual inaccuracy": "fact", "Contextual misinterpretation": "context", "Procedural error": "procedure",
  "Reasoning error": "reasoning", "Misattribution": "source", "Terminological error": "term", "Not supported": "unsupported",
};

const goldWrong = (g) => g.e.length + g.u.length > 0;
const goldTypes = (g) => [...new Set([...g.e.map((e) => e.type), ...(g.u.length ? ["Not supported"] : [])])];
const goldSpans = (g) => [...g.e.map((e) => e.span), ...g.u];
// A response labelled ungrounded without a span may be wrong anywhere: evidence alone then makes no sentence sound.
const goldLocated = (data) => data.grounded !== false || data.gold.some(goldWrong);
const goldSound = (data, g) => !goldWrong(g) && g.c.length > 0 && goldLocated(data);

function goldCount(data) {
  const wrong = data.gold.filter((g) => g.e.length).length;
  const unsupported = data.gold.filter((g) => g.u.length && !g.e.length).length;
  if (!goldLocated(data)) return "ungrounded, no span says where";
  const parts = [wrong ? `${wrong} labelled wrong` : "", unsupported ? `${unsupported} labelled unsupported` : ""].filter(Boolean);
  return parts.join(", ") || "none labelled wrong";
}

// A row of the strip: what is wrong by the labels, so that each method can be read against it.
function goldRow(data, choose) {
  const row = el("tr", { class: "gold" }, el("th", { scope: "row", title: "The errors that annotators marked, and the sentences with evidence" }, "Gold labels"));
  data.response.units.forEach((unit, i) => {
    if (unit.h) return;
    const g = data.gold[i];
    const types = goldTypes(g);
    if (!types.length && !goldSound(data, g)) return row.append(el("td", {}, el("span", { class: "none" })));
    const words = types.map((t) => SHORT_TYPES[t]).join(", ");
    const cell = el("button", { class: types.length ? "cell wrong" : "cell sound", type: "button", tabindex: "-1", title: types.join(" · ") || "supported" }, words || "✓");
    cell.setAttribute("aria-label", `Sentence ${i + 1}, gold label: ${types.join(", ") || "supported"}`);
    cell.addEventListener("click", () => choose({ sentence: i, focus: "none" }));
    row.append(el("td", {}, cell));
  });
  row.append(el("td", { class: "reading", title: goldCount(data) }, goldCount(data)));
  return row;
}

// How a method's flags meet the labels: "1 of 2 found, 2 false alarms".
function goldReading(data, flagged) {
  const wrong = data.gold.map((g, i) => (goldWrong(g) ? i : -1)).filter((i) => i >= 0);
  if (!goldLocated(data)) return "";
  const caught = wrong.filter((i) => flagged.includes(i)).length;
  const alarms = flagged.length - caught;
  const words = `${alarms} false ${alarms === 1 ? "alarm" : "alarms"}`;
  return wrong.length ? `${caught} of ${wrong.length} found, ${words}` : words;
}

// Under the texts: why the sentence is wrong, and where the method ranks the gold evidence.
function goldPanel(data, method, i, step, show) {
  const panel = el("section", { class: "panel goldpanel", "aria-label": "Gold labels" });
  panel.append(el("h2", {}, `Gold labels of sentence ${i + 1}`));
  const g = data.gold[i];
  for (const { span, type, why, stance } of g.e) {
    const words = wordsIn(data.response.units[i], span[0], span[1]);
    panel.append(el("p", {}, el("mark", { class: "gold-error" }, words), ": ", el("b", {}, type), `. ${why}`, stance ? el("span", { class: "soft" }, ` (${stance})`) : null));
  }
  for (const [a, b] of g.u) {
    panel.append(el("p", {}, el("mark", { class: "gold-error" }, wordsIn(data.response.units[i], a, b).slice(0, 200)), ": labelled as not supported."));
  }
  if (!goldWrong(g)) panel.append(el("p", {}, soundWords(data, g)));
  if (g.c.length) {
    const place = g.c.length > 1 ? `, ${step + 1} of ${g.c.length}` : "";
    const button = el("button", { type: "button", class: "next" }, `Show the gold evidence${place}`);
    button.addEventListener("click", () => show(g.c[step]));
    panel.append(el("p", { class: "soft" }, `Gold evidence: ${goldRanks(data, method, i, g)}.`), button);
  }
  return panel;
}

function soundWords(data, g) {
  if (!goldLocated(data)) return "The answer is labelled ungrounded; no span says where it is wrong.";
  if (g.c.length) return "Labelled as supported.";
  if (data.grounded === true) return "The answer is labelled grounded; no evidence is named for this sentence.";
  return "Nothing is labelled wrong in this sentence, and no evidence is named for it.";
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
