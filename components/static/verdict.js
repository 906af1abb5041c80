// The verdict over the strip: words, threshold, agreement; the legend under the texts; and the link.

function paintVerdict(view, method, threshold) {
  const flagged = flaggedBy(method, threshold);
  const whole = method.s && threshold !== null && !method.s.some((s) => s !== null) && method.support < threshold;
  const words = el("b", { class: (flagged.length || whole) && proven(method) ? "flag" : "" }, verdictWords(method, threshold, flagged, toCheck(view.data)));
  const record = [recordWords(method, threshold, flagged.length), promiseWords(method, threshold)].filter(Boolean).join(" ");
  const next = nextButton(view, flagged);
  const had = view.verdict.contains(view.root.getRootNode().activeElement) && view.root.getRootNode().activeElement;
  if (had && had.type === "range") {
    view.verdict.querySelector("b").replaceWith(words);
    view.verdict.querySelector("output").textContent = threshold.toFixed(2);
    view.verdict.querySelector(".rule summary").textContent = thresholdWords(threshold);
    const line = view.verdict.querySelector(".record");
    [line.textContent, line.hidden] = [record, !record];
    view.verdict.querySelector(".next").replaceWith(next);
    return;
  }
  const [open, focused] = [view.verdict.querySelector(".rule")?.open, had && ["next", "by", "help"].find((c) => had.classList.contains(c))];
  const help = el("button", { type: "button", class: "help", "aria-label": "Keys", "aria-keyshortcuts": "?" }, "?");
  help.addEventListener("click", () => view.keys.showModal());
  view.verdict.replaceChildren(
    el("div", { class: "lead" }, words, methodChoice(view),
      el("span", { class: "actions" }, method.s ? ruleBox(view, method, threshold, open) : null, next, help)),
    el("p", { class: "about", dir: "auto" }, el("span", { class: "record", hidden: !record, title: rankingWords(method) }, record), method.note ? el("span", { class: "note soft" }, ` ${method.note}`) : null),
    method.raw ? el("details", { class: "raw" }, el("summary", {}, "Reply of the model"), el("pre", { dir: "auto" }, method.raw)) : "",
  );
  if (focused) view.verdict.querySelector(`.${focused}`).focus();
}

function nextButton(view, flagged) {
  const words = flagged.length ? "Next flagged" : "Next weakest";
  const next = el("button", { type: "button", class: "next", disabled: !flagged.length && !view.weakest().length, "aria-keyshortcuts": "n" }, `${words} `, el("kbd", { "aria-hidden": "true" }, "n"));
  next.addEventListener("click", () => view.next("none"));
  return next;
}

function methodChoice(view) {
  const options = view.data.methods.map((m, k) => el("option", { value: String(k), selected: k === view.method }, m.title));
  const select = el("select", { class: "by", "aria-label": "Method" }, ...options);
  select.addEventListener("change", () => view.choose({ method: Number(select.value), focus: "none" }));
  return el("span", {}, "by ", select);
}

const thresholdWords = (threshold) => (threshold === null ? "Threshold not set" : `Threshold ${threshold.toFixed(2)}`);

// The rule behind the verdict, and what it took: threshold, support of the whole answer, share read, seconds.
function ruleBox(view, method, threshold, open) {
  const facts = [
    `${shown(method.support)} for the whole answer (${method.aggregation})`,
    `${Math.round(100 * method.seen)} % of the sources read`,
    `${seconds(method.seconds)}${savedWords(method.cached)}`,
    ...(method.promise ? [] : ["no promise about misses goes with its threshold"]),
  ];
  const box = dropdown(thresholdWords(threshold), "rule", slider(view, method, threshold), el("ul", { class: "soft" }, ...facts.map((f) => el("li", {}, f))));
  box.open = Boolean(open);
  return box;
}

function slider(view, method, threshold) {
  const output = el("output", {}, threshold === null ? "not set" : threshold.toFixed(2));
  const input = el("input", { type: "range", min: "0", max: "1", step: "0.01", value: String(threshold ?? 0.5), title: method.thresholdSource });
  input.setAttribute("aria-label", `Threshold of ${method.title}`);
  input.addEventListener("input", () => {
    view.thresholds[method.id] = Number(input.value);
    view.paint({ scroll: false, focus: "none" });
  });
  input.addEventListener("change", () => view.setStateValue && view.setStateValue("thresholds", { rules: view.data.rules, by: { ...view.thresholds } }));
  return el("label", { class: "threshold" }, "Flag below ", output, " ", input, el("span", { class: "soft" }, method.thresholdSource));
}

function setLink(parameters) {
  const url = new URL(window.location.href);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  window.history.replaceState(window.history.state, "", url);
}

function verdictWords(method, threshold, flagged, checks = 0) {
  if (!method.s || threshold === null) return method.words;
  const assessed = method.s.filter((s) => s !== null).length;
  // A method that judges the whole answer may name no sentence.
  if (!assessed) return `The answer as a whole is ${method.support < threshold ? "" : "not "}flagged; the method names no sentence`;
  // Exact checks are no part of a method.
  const nothing = checks ? `Nothing flagged, ${checks} to check` : "Nothing flagged";
  if (!flagged.length) return assessed === 1 ? `${nothing}; read the sentence` : `${nothing}; read all ${assessed} sentences`;
  return `${flagged.length} of ${assessed} ${assessed === 1 ? "sentence" : "sentences"} flagged`;
}

// The figures behind “better than chance”.
function rankingWords(method) {
  if (!method.record || method.record.auroc[1] < 0) return "";
  const [auroc, low, high] = method.record.auroc.map((x) => x.toFixed(2));
  return `AUROC of its sentences ${auroc}, 95 % interval ${low} to ${high}; chance is 0.50`;
}

// What a verdict is worth: how often the method was right on labelled sentences, at this threshold.
function recordWords(method, threshold, flags) {
  if (!method.s || threshold === null) return "";
  const record = method.record;
  const at = record ? record.thresholds.findIndex((t) => Math.abs(t - threshold) < 1e-9) : -1;
  if (at < 0) return method.promise ? "" : "How often it is right was not measured with these settings.";
  const [right, wrong] = record.flagged[at];
  const range = (k, name) => (record.ends[at][k][0] < 0 ? "" : ` (${name}${record.ends[at][k].join(" to ")} %)`);
  const rightly = right + wrong ? ` ${right} of its ${right + wrong} flags were right.` : "";
  const better = record.better ? " It does better than chance." : " It is not shown to do better than chance.";
  return `${record.place} it flagged ${right} of ${record.wrong} wrong sentences${range(0, "95 % interval ")} and ${wrong} of ${record.sound} sound ones${range(1, "")} at this threshold.${rightly}${better}${flags ? "" : weakestWords(record)}`;
}

// Which promise about misses the threshold carries: that of the lowest threshold that carries it holds above it, too.
function promiseWords({ promise, s }, threshold) {
  if (!s || !promise || threshold === null) return "";
  return threshold >= promise.threshold ? promise.words : `Below ${promise.threshold.toFixed(4)} its promise about misses does not hold.`;
}

// What the order of the weakest sentences is worth, where none is flagged.
function weakestWords({ weakest: [hits, answers, chance] }) {
  return answers ? ` In ${hits} of ${answers} wrong answers the weakest sentence was a wrong one; ${chance.toFixed(1)} by chance.` : "";
}

const savedWords = (share) => (share >= 1 ? ", all from saved results" : share > 0 ? `, ${Math.round(100 * share)} % from saved results` : "");
const seconds = (s) => (s < 0.01 ? `${(1000 * s).toFixed(1)} ms` : `${s.toFixed(2)} s`);

function legend(data) {
  const swatch = (band, words) => el("span", { class: "swatch" }, el("i", { class: `s ${band}`, style: "--strength:.6" }, "text"), ` ${words}`);
  return el("p", { class: "foot" },
    swatch("low", "below the threshold"), swatch("near", "near it"), swatch("ok", "above it"),
    data.methods.some((m) => m.otherwise && m.otherwise.some((x) => x !== null)) ? el("span", {}, ...Object.values(STANCES).map((s) => `${s.sign} ${s.words}  `)) : null,
    data.methods.some((m) => m.unsupported && m.unsupported.some((u) => u.length)) ? el("span", {}, el("mark", { class: "unsupported" }, "text"), " words that the method marks") : null,
    data.gold ? el("span", {}, el("mark", { class: "gold-error" }, "text"), " labelled wrong or unsupported, ", el("span", { class: "c gold" }, "text"), " gold evidence") : null,
    ...citeLegend(data),
    el("span", {}, "Thin grey lines: by a method that is not shown to do better than chance."),
    el("span", {}, "Numbers are support, 0 to 1, higher is better supported."));
}
