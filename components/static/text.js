// Drawing of the two text panes. Text of a case enters the page through textContent only.

function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((c) => c !== null && c !== undefined));
  return node;
}

// Cut a text at every border of its layers; a fragment gets the classes of all layers over it.
function fragments(text, layers) {
  const borders = new Set([0, text.length]);
  for (const { spans } of layers) for (const [a, b] of spans) borders.add(a).add(b);
  const cuts = [...borders].filter((c) => c >= 0 && c <= text.length).sort((x, y) => x - y);
  const out = [];
  for (let i = 0; i + 1 < cuts.length; i++) {
    const [a, b] = [cuts[i], cuts[i + 1]];
    const over = layers.filter((l) => l.spans.some(([s, e]) => s <= a && b <= e));
    const piece = text.slice(a, b);
    const cite = over.find((l) => l.cite !== undefined)?.cite;
    out.push(over.length ? el("mark", { class: over.map((l) => l.css).join(" "), "data-cite": cite }, piece) : piece);
  }
  return out;
}

function bandOf(support, threshold) {
  if (support === null || threshold === null) return "none";
  if (support < threshold) return "low";
  return support < threshold + 0.15 * (1 - threshold) ? "near" : "ok";
}

// Only what is shown to be better than chance on labelled cases is filled with colour; other methods get thin lines.
const proven = (method) => Boolean(method.record && method.record.better);

const BAND_WORDS = { low: "flagged", near: "near the threshold", ok: "not flagged", none: "no verdict" };

// Strength 0..1 of a band's colour: the further from the threshold, the stronger.
function strengthOf(support, threshold) {
  if (support === null || threshold === null) return 0;
  if (support < threshold) return threshold > 0 ? 0.25 + 0.75 * (1 - support / threshold) : 1;
  return threshold < 1 ? (support - threshold) / (1 - threshold) : 1;
}

// How a flagged sentence relates to the sources, where the method says so: contradicted, or not stated.
const STANCES = { otherwise: { sign: "≠", words: "the sources say otherwise" }, silent: { sign: "∅", words: "the sources do not say it" } };

function stanceOf(method, i, threshold) {
  const otherwise = method.otherwise ? method.otherwise[i] : null;
  if (otherwise === null || bandOf(method.s[i], threshold) !== "low") return null;
  return otherwise ? STANCES.otherwise : STANCES.silent;
}

const shown = (x) => (x === null ? "–" : x.toFixed(2));

// A claim that is the whole sentence is not said again.
const isWhole = (data, claim) => claim[1].length > 0.9 * data.response.units[claim[0]].t.length;

// Why the method gives a sentence its support, in its own words: who decided, what counted, what a model said of each claim.
function reasonOf(data, method, i) {
  const claims = (method.claims || []).filter(([at, , , reason]) => at === i && reason);
  return claims.map((claim) => (isWhole(data, claim) ? claim[3] : `${claim[1]}: ${claim[3]}`)).join("\n");
}

function responsePane(data, choose) {
  const pane = el("div", { class: "pane", role: "listbox", "aria-label": "Response sentences", dir: "auto" });
  const nodes = data.response.units.map((unit, i) => {
    pane.append(unit.b);
    const node = unit.h
      ? el("span", { class: "s heading", "data-i": i }, unit.t)
      : el("span", { class: "s", role: "option", "data-i": i, tabindex: "-1" });
    if (!unit.h) node.addEventListener("click", (event) => choose({ sentence: i, focus: "text", cite: event.target.closest("mark[data-cite]")?.dataset.cite }));
    pane.append(node);
    return node;
  });
  pane.append(data.response.tail);
  if (!nodes.length) pane.append(el("p", { class: "soft" }, "The response is empty."));
  return { pane, nodes };
}

function paintResponse(nodes, data, method, threshold, current, gold) {
  nodes.forEach((node, i) => {
    const unit = data.response.units[i];
    if (unit.h) return;
    const support = method.s ? method.s[i] : null;
    const band = bandOf(support, threshold);
    node.className = `s ${band}${proven(method) ? "" : " unproven"}`;
    node.style.setProperty("--strength", strengthOf(support, threshold).toFixed(2));
    node.setAttribute("aria-selected", String(i === current));
    node.tabIndex = i === current ? 0 : -1;
    const layers = method.verbatim ? [{ css: "verbatim", spans: method.verbatim[i] }] : [];
    if (method.unsupported) layers.push({ css: "unsupported", spans: method.unsupported[i] });
    const difference = i === current ? differenceOf(data, method, i) : null;
    if (difference) layers.push({ css: "differs", spans: difference.r });
    layers.push(...citationLayers(data, i));
    const wrong = gold ? goldTypes(gold[i]) : [];
    if (wrong.length) layers.push({ css: "gold-error", spans: goldSpans(gold[i]) });
    const label = wrong.length ? ` Gold label: ${wrong.join(", ")}.` : "";
    const stance = stanceOf(method, i, threshold);
    const hint = ` Sentence ${i + 1}: ${BAND_WORDS[band]}${stance ? `, ${stance.words}` : ""}, support ${shown(support)}.${label}${citationHint(data, i)}`;
    node.replaceChildren(
      ...fragments(unit.t, layers),
      el("sup", { "aria-hidden": "true" }, stance ? `${shown(support)} ${stance.sign}` : shown(support)),
      el("span", { class: "hidden" }, hint),
    );
  });
}

function differenceOf(data, method, i) {
  const best = method.best ? method.best[i] : -1;
  return best >= 0 ? data.differences[`${i}:${best}`] || null : null;
}

function contextPane(data) {
  const pane = el("div", { class: "pane", role: "region", "aria-label": "Sources", tabindex: "0" });
  const [nodes, heads] = [[], []];
  data.context.forEach((passage) => {
    const body = el("div", { class: "body", dir: "auto" });
    for (const unit of passage.units) {
      const node = el("span", { class: "c" }, unit.t);
      body.append(unit.b, node);
      nodes.push(node);
    }
    body.append(passage.tail);
    heads.push(el("h3", { dir: "auto" }, passage.source));
    pane.append(el("section", { class: "p" }, heads.at(-1), body));
  });
  if (!data.context.length) pane.append(el("p", { class: "soft" }, "There are no sources."));
  return { pane, nodes, heads, painted: new Set() };
}

// Only what changes is touched, so that a context of ten thousand sentences stays quick.
function paintContext(context, texts, data, method, i, threshold, gold) {
  for (const j of context.painted) {
    context.nodes[j].className = "c";
    context.nodes[j].removeAttribute("style");
    context.nodes[j].replaceChildren(texts[j]);
  }
  context.painted.clear();
  const best = method.near && i >= 0 ? paintMatches(context, texts, data, method, i, threshold) : -1;
  for (const j of gold && i >= 0 ? gold[i].c : []) {
    context.nodes[j].classList.add("gold");
    context.nodes[j].append(el("sup", {}, "gold"));
    context.painted.add(j);
  }
  return best >= 0 ? context.nodes[best] : null;
}

// A method may flag a sentence whose nearest passage is much like it: then that does not support it either.
const supportOfBest = (method, i) => Math.min(method.near[i][0][1], method.s[i] ?? 1);
const weakMatch = (method, i, threshold) => bandOf(supportOfBest(method, i), threshold) === "low";

// What stands over the sources: an unsupported sentence has a nearest passage, and no match.
function bestWords(method, i, threshold) {
  if (!weakMatch(method, i, threshold)) return `Best match for sentence ${i + 1}`;
  return `Nearest to sentence ${i + 1}, but does not support it (${shown(supportOfBest(method, i))})`;
}

function paintMatches(context, texts, data, method, i, threshold) {
  const best = method.best[i];
  for (const [j, support] of method.near[i]) {
    const node = context.nodes[j];
    const weak = j === best && weakMatch(method, i, threshold);
    node.className = `c ${j === best ? "best" : "match"}${weak ? " weak" : ""}${proven(method) ? "" : " unproven"}`;
    node.style.setProperty("--strength", support.toFixed(2));
    const layers = [{ css: "verbatim", spans: method.quoted[i].filter((q) => q[0] === j).map((q) => [q[1], q[2]]) }];
    const difference = j === best ? differenceOf(data, method, i) : null;
    if (difference) layers.push({ css: "differs", spans: difference.c });
    node.replaceChildren(...fragments(texts[j], layers), el("sup", {}, shown(support)));
    if (j === best) node.prepend(el("span", { class: "hidden" }, `${weak ? "Nearest to" : "Best match for"} sentence ${i + 1}: `));
    context.painted.add(j);
  }
  return best;
}
