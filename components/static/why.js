// Why a sentence is flagged or not, beside the source: findings, what is left out, the method's reasons, and what differs from the nearest passage.

function whyCard(view, method, i, thresholds) {
  const { data } = view;
  const threshold = thresholds[view.method];
  if (i < 0) return [el("p", { class: "soft" }, "Choose a sentence.")];
  const exact = data.findings[i][0]?.certainty === "exact";
  return [
    el("div", { class: "lead" }, el("h2", { class: exact ? "flag" : "" }, `Sentence ${i + 1}: ${standing(data, method, i, threshold)}`), data.small ? "" : decideButton(view)),
    ...findingLines(view, i), ...leftOutLine(view, i), ...(data.partly ? [] : [el("p", { class: "soft" }, data.compared)]),
    ...stanceLines(data, method, i, threshold), ...claimLines(data, method, i), ...differenceLines(data, method, i), ...numberLine(view, method, i, thresholds),
  ];
}

function decideButton(view) {
  const button = el("button", { type: "button", class: "next decide", "aria-keyshortcuts": "d" }, "Decide ", el("kbd", { "aria-hidden": "true" }, "d"));
  button.addEventListener("click", () => view.decide());
  return button;
}

// The clause of the nearest passage that no sentence of the answer repeats.
function leftOutLine(view, i) {
  const clause = view.data.leftOut[i];
  return clause ? [el("p", { class: "soft", dir: "auto" }, `Left out of the answer: “${clause.text}”.`, showButton(view, clause.place, "Show what is left out"))] : [];
}

// The numbers behind it, on demand.
function numberLine({ data }, method, i, thresholds) {
  const voters = data.methods.map((m, k) => [m, thresholds[k]]).filter(([m, t]) => m.s && t !== null && m.s[i] !== null);
  const against = voters.filter(([m, t]) => m.s[i] < t).length;
  const support = method.s ? `Support ${shown(method.s[i])} by ${method.title}. ` : "";
  const votes = voters.length > 1 ? `Doubtful by ${against} of ${voters.length} methods.` : "";
  return support + votes ? [el("details", { class: "agree soft" }, el("summary", {}, "Numbers"), support + votes)] : [];
}

// The words that the method marks, and whether it reads the sources as saying otherwise or as silent.
function stanceLines(data, method, i, threshold) {
  const stance = stanceOf(method, i, threshold);
  const marked = (method.unsupported ? method.unsupported[i] : []).map(([a, b]) => wordsIn(data.response.units[i], a, b).trim()).filter(Boolean);
  const words = marked.slice(0, 8).flatMap((text, k) => [k ? " · " : "", el("mark", { class: "unsupported" }, text)]);
  return [
    stance ? el("p", { title: `Contradiction ${shown(method.against[i])}` }, `${method.plain} reads the sources as `, el("b", {}, stance === STANCES.otherwise ? "saying otherwise" : "silent on it"), ".") : null,
    marked.length ? el("p", { dir: "auto" }, `${method.plain} marks as not supported: `, ...words, marked.length > 8 ? ` and ${marked.length - 8} more` : "") : null,
  ].filter(Boolean);
}

// Of what is nowhere in the sources there is a nearest passage; of the rest there is the place.
const NEAREST = ["figure", "date", "section", "name", "quotation", "support"];

// What is wrong or doubtful, in sentences, with the place to read and what such a finding is worth; then remarks.
function findingLines(view, i) {
  const label = ({ kind, text }) => (NEAREST.includes(kind) ? `Show the nearest passage to ${text.slice(0, 80)}` : `Show the place for ${text.slice(0, 80)}`);
  const line = (f, css) => el("div", { class: css, dir: "auto" }, el("p", {}, f.why, f.place ? showButton(view, f.place, label(f)) : null), f.worth ? el("p", { class: "soft worth" }, `${f.check}. ${f.worth}`) : null);
  return [...view.data.findings[i].map((f) => line(f, `check ${f.certainty}`)), ...view.data.remarks[i].map((f) => line(f, "soft"))];
}

// The claims that a method checked in the sentence, with its reasons; first those about the whole sentence.
function claimLines(data, method, i) {
  const claims = (method.claims || []).filter(([at]) => at === i);
  const lines = claims.filter((claim) => isWhole(data, claim) && claim[3]).map((claim) => el("p", { dir: "auto" }, claim[3]));
  const parts = claims.filter((claim) => !isWhole(data, claim));
  if (!parts.length) return lines;
  const rows = parts.map(([, text, support, reason]) =>
    el("tr", {}, el("td", { dir: "auto" }, text), el("td", { class: "number" }, shown(support)), el("td", { dir: "auto" }, reason)));
  const head = el("tr", {}, ...["Claim", "Support", "Reason"].map((t) => el("th", { scope: "col" }, t)));
  return [...lines, el("table", { class: "claims" }, el("caption", { class: "hidden" }, "Claims"), el("thead", {}, head), el("tbody", {}, ...rows))];
}

function differenceLines(data, method, i) {
  const best = method.best ? method.best[i] : -1;
  if (best < 0) return [el("p", { class: "soft" }, "No passage is near this sentence, so there is nothing to compare.")];
  const difference = differenceOf(data, method, i);
  if (!difference) return [el("p", { class: "soft", title: data.blindSpots }, "Nothing that is compared with the nearest passage differs from it: linking words, roles, legal terms, negations, modals, values, citations, names and quotations.")];
  const rows = difference.rows.map(({ kind, r, c }) =>
    el("tr", {}, el("th", { scope: "row" }, kind), el("td", { dir: "auto" }, ...itemList(r)), el("td", { dir: "auto" }, ...itemList(c))));
  const head = el("tr", {}, el("td", {}), el("th", { scope: "col" }, "Only in the response"), el("th", { scope: "col" }, "Only in the nearest passage"));
  return [el("table", { class: "diff", title: data.blindSpots }, el("caption", { class: "hidden" }, "What differs"), el("thead", {}, head), el("tbody", {}, ...rows))];
}

function itemList(items) {
  if (!items.length) return [el("span", { class: "soft" }, "none")];
  return items.flatMap(({ text, where }, k) => [
    k ? "  ·  " : "",
    el("mark", { class: "differs" }, text),
    where ? el("span", { class: where === "not in the sources" ? "where alert" : "where" }, ` ${where}`) : "",
  ]);
}
