// Why a sentence is flagged or not, beside the source: checks, the method's reasons, and what differs from the nearest passage.

function whyCard(view, method, i, thresholds) {
  const threshold = thresholds[view.method];
  if (i < 0) return [el("p", { class: "soft" }, "Choose a sentence.")];
  const support = method.s ? method.s[i] : null;
  const band = bandOf(support, threshold);
  const words = band === "none" ? "" : `: ${BAND_WORDS[band]}, support ${shown(support)} by ${method.title}`;
  return [
    el("h2", { class: band === "low" && proven(method) ? "flag" : "" }, `Sentence ${i + 1}${words}`),
    ...checkLines(view, i), ...(view.data.partly ? [] : [el("p", { class: "soft" }, view.data.compared)]), ...stanceLines(view.data, method, i, threshold), ...agreeLine(view, i, thresholds), ...claimLines(view.data, method, i), ...differenceLines(view.data, method, i),
  ];
}

function agreeLine({ data }, i, thresholds) {
  const voters = data.methods.map((m, k) => [m, thresholds[k]]).filter(([m, t]) => m.s && t !== null && m.s[i] !== null);
  const against = voters.filter(([m, t]) => m.s[i] < t).length;
  return voters.length > 1 ? [el("p", { class: "agree soft" }, `Flagged by ${against} of ${voters.length} methods.`)] : [];
}

// The words that the method marks, and whether it reads the sources as saying otherwise or as silent.
function stanceLines(data, method, i, threshold) {
  const stance = stanceOf(method, i, threshold);
  const marked = (method.unsupported ? method.unsupported[i] : []).map(([a, b]) => wordsIn(data.response.units[i], a, b).trim()).filter(Boolean);
  const words = marked.slice(0, 8).flatMap((text, k) => [k ? " · " : "", el("mark", { class: "unsupported" }, text)]);
  return [
    stance ? el("p", {}, `${method.title} reads it so: `, el("b", {}, stance.words), ` (contradiction ${shown(method.against[i])}).`) : null,
    marked.length ? el("p", { dir: "auto" }, `${method.title} marks as not supported: `, ...words, marked.length > 8 ? ` and ${marked.length - 8} more` : "") : null,
  ].filter(Boolean);
}

// Of what is nowhere in the sources there is a nearest passage; of the rest there is the place.
const NEAREST = ["figure", "date", "section", "name", "quotation"];

// What exact checks found, in sentences, with the place to read; then what they remark without an alarm.
function checkLines(view, i) {
  const label = ({ kind, text }, css) => (css === "check" && NEAREST.includes(kind) ? `Show the nearest passage to ${text}` : `Show ${text} in the sources`);
  const lines = (checks, css) => (checks[i] || []).map((check) =>
    el("p", { class: css, dir: "auto" }, check.why, check.place ? showButton(view, check.place, label(check, css)) : null));
  return [...lines(view.data.checks, "check"), ...lines(view.data.remarks, "soft")];
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
  if (best < 0) return [el("p", { class: "soft" }, "This method matches no passage here, so there is nothing to compare.")];
  const difference = differenceOf(data, method, i);
  if (!difference) return [el("p", { class: "soft", title: data.blindSpots }, "Nothing that is compared with the nearest passage differs from it: linking words, roles, negations, modals, values, citations, names, quotations, and words in place of others.")];
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
