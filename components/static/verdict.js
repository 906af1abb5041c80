// The headline over the strip, the method whose doubts count and what they are worth; the legend under the texts; and the link.

function paintVerdict(view, method, threshold) {
  const exact = view.order().some((i) => view.data.findings[i][0]?.certainty === "exact");
  const words = el("b", { class: exact ? "flag" : "", title: method.headline }, method.headline);
  const had = view.verdict.contains(view.root.getRootNode().activeElement) && view.root.getRootNode().activeElement;
  if (had && had.type === "range") {
    view.verdict.querySelector("b").replaceWith(words);
    view.verdict.querySelector("output").textContent = threshold.toFixed(2);
    view.verdict.querySelector(".record").replaceWith(worthList(view, method, threshold));
    view.verdict.querySelector(".next").replaceWith(nextButton(view));
    return;
  }
  const [open, focused] = [view.verdict.querySelector(".rule")?.open, had && ["next", "help"].find((c) => had.classList.contains(c))];
  const state = method.s || method.busy ? "" : `${method.plain}: ${method.words}. ${method.note}`;
  view.verdict.replaceChildren(
    el("div", { class: "lead" }, words, el("span", { class: "actions" }, method.s ? ruleBox(view, method, threshold, open) : null, nextButton(view), helpButton(view))),
    state ? el("p", { class: "about note soft", dir: "auto" }, state) : "",
    method.raw ? el("details", { class: "raw" }, el("summary", {}, "Reply of the model"), el("pre", { dir: "auto" }, method.raw)) : "",
  );
  if (focused) view.verdict.querySelector(`.${focused}`).focus();
}

function nextButton(view) {
  const order = view.order();
  const words = order.length ? "Next finding" : "Next sentence";
  const next = el("button", { type: "button", class: "next", disabled: !order.length && !view.weakest().length, "aria-keyshortcuts": "n" }, `${words} `, el("kbd", { "aria-hidden": "true" }, "n"));
  next.addEventListener("click", () => view.next("none"));
  return next;
}

// What the method's doubts are worth, and the rule behind them.
function ruleBox(view, method, threshold, open) {
  const box = dropdown(`How right is “${method.plain}”?`, "rule", worthList(view, method, threshold), slider(view, method, threshold));
  box.open = Boolean(open);
  return box;
}

function worthList(view, method, threshold) {
  const facts = [
    shareWords(view.data, method, threshold),
    method.record || (method.promise ? "" : "How often it is right was not measured with these settings."),
    method.ranking,
    method.standing && el("span", {}, `${method.standing.words} `, el("a", { href: "methods", target: "_blank" }, "Methods has every set.")),
    promiseWords(method, threshold) || "No promise about misses goes with its threshold.",
    `${method.title}: support ${shown(method.support)} for the whole answer (${method.aggregation}), ${Math.round(100 * method.seen)} % of the sources read, ${seconds(method.seconds)}${savedWords(method.cached)}.`,
  ].filter(Boolean);
  return el("ul", { class: "record" }, method.note ? el("li", { class: "note", dir: "auto" }, method.note) : "", ...facts.map((f) => el("li", {}, f)));
}

// Without labels: how large a share it flags here, beside that share where people labelled.
function shareWords(data, { s, standing }, threshold) {
  if (!s || !standing?.shares.length || threshold === null || data.grounded !== null || data.gold) return "";
  const scored = s.filter((x) => x !== null);
  const share = standing.shares.filter((x) => x < threshold).length / standing.shares.length;
  const flagged = scored.filter((x) => x < threshold).length;
  return `It flags ${flagged} of ${scored.length} sentences here, ${percent(flagged / Math.max(1, scored.length))}; on the sets labelled by people ${percent(share)}.`;
}

function slider(view, method, threshold) {
  const output = el("output", {}, threshold === null ? "not set" : threshold.toFixed(2));
  const input = el("input", { type: "range", min: "0", max: "1", step: "0.01", value: String(threshold ?? 0.5), title: method.thresholdSource });
  input.setAttribute("aria-label", `Threshold of ${method.title}`);
  input.addEventListener("input", () => {
    view.thresholds[method.id] = Number(input.value);
    view.paint({ scroll: false, focus: "none" });
  });
  // The server lists the findings at the new threshold.
  input.addEventListener("change", () => view.setStateValue && view.setStateValue("thresholds", { rules: view.data.rules, by: { ...view.thresholds } }));
  return el("label", { class: "threshold" }, "Flag below ", output, " ", input, el("span", { class: "soft" }, method.thresholdSource));
}

function setLink(parameters) {
  const url = new URL(window.location.href);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  window.history.replaceState(window.history.state, "", url);
}

// Which promise about misses the threshold carries: that of the lowest threshold that carries it holds above it, too.
function promiseWords({ promise, s }, threshold) {
  if (!s || !promise || threshold === null) return "";
  return threshold >= promise.threshold ? promise.words : `Below ${promise.threshold.toFixed(4)} its promise about misses does not hold.`;
}

const percent = (share) => `${Math.round(100 * share)} %`;
const savedWords = (share) => (share >= 1 ? ", all from saved results" : share > 0 ? `, ${Math.round(100 * share)} % from saved results` : "");
const seconds = (s) => (s < 0.01 ? `${(1000 * s).toFixed(1)} ms` : `${s.toFixed(2)} s`);

function legend(data) {
  const swatch = (css, words) => el("span", { class: "swatch" }, el("i", { class: `s ${css}`, style: "--strength:.6" }, "text"), ` ${words}`);
  return el("p", { class: "foot" },
    swatch("exact", "does not match the sources"), swatch("aside", "differs from the passage beside it"), swatch("low", "doubtful"), swatch("ok", "compared, nothing flagged"),
    data.methods.some((m) => m.otherwise && m.otherwise.some((x) => x !== null)) ? el("span", {}, ...Object.values(STANCES).map((s) => `${s.sign} ${s.words}  `)) : null,
    data.methods.some((m) => m.unsupported && m.unsupported.some((u) => u.length)) ? el("span", {}, el("mark", { class: "unsupported" }, "text"), " words that the method marks") : null,
    data.gold ? el("span", {}, el("mark", { class: "gold-error" }, "text"), " labelled wrong or unsupported, ", el("span", { class: "c gold" }, "text"), " gold evidence") : null,
    ...citeLegend(data),
    el("span", {}, "Small numbers count the sentences. Thin lines: a method whose flags are not shown to be better than chance."));
}
