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

// Cut a text at every border of its layers and looks; a fragment gets the classes of all layers over it, null is a border of cells.
function fragments(text, layers, looks = []) {
  const borders = new Set([0, text.length]);
  for (const spans of [...layers.map((l) => l.spans), looks]) for (const [a, b] of spans) borders.add(a).add(b);
  const cuts = [...borders].filter((c) => c >= 0 && c <= text.length).sort((x, y) => x - y);
  const out = [];
  for (let i = 0, k = 0; i + 1 < cuts.length; i++) {
    const [a, b] = [cuts[i], cuts[i + 1]];
    while (k < looks.length && looks[k][1] <= a) k++;
    const look = k < looks.length && looks[k][0] <= a ? looks[k] : null;
    const over = layers.filter((l) => l.spans.some(([s, e]) => s <= a && b <= e));
    const piece = styled(text.slice(a, b), look, a);
    const [cite, check] = ["cite", "check"].map((to) => over.find((l) => l[to] !== undefined)?.[to]);
    if (piece === "") continue;
    out.push(over.length && piece !== null ? el("mark", { class: over.map((l) => l.css).join(" "), "data-cite": cite, "data-check": check }, piece) : piece);
  }
  return out;
}

// A piece of text as it is shown: Markdown without its signs. What stands for other characters stands where they begin.
function styled(piece, look, at) {
  if (!look) return piece;
  const [start, , css, words, title] = look;
  const text = css === "gone" ? "" : (at > start && words != null ? "" : (words ?? piece));
  if (css === "border") return at > start ? "" : null;
  return text && el("span", { class: css, title }, text);
}

// A sentence in its node, under layers: a row of a table in cells. What comes after it stands in the last cell.
function draw(node, unit, layers, ...after) {
  const parts = [...fragments(unit.t, layers, unit.ts), ...(node.rest || []), ...after];
  if (unit.c === undefined) return node.replaceChildren(...parts);
  const cells = Array.from({ length: unit.c + 1 }, () => el("span", { class: "md-cell" }));
  for (const part of parts) {
    if (part === null) cells.push(el("span", { class: "md-cell" }));
    else cells.at(-1).append(part);
  }
  node.replaceChildren(...cells);
}

const lastCell = (node) => node.querySelector(".md-cell:last-child") ?? node;

// What is shown of a unit as a string, and the place in it of each of its characters.
function bare(unit) {
  const [at, looks] = [[], unit.ts || []];
  let [text, from] = ["", 0];
  const put = (words, start, own) => {
    for (let k = 0; k < words.length; k++) at.push(own ? start + k : start);
    text += words;
  };
  for (const [a, b, css, words] of looks) {
    put(unit.t.slice(from, a), from, true);
    if (css === "border") put(" | ", a, false);
    else if (css !== "gone") put(words ?? unit.t.slice(a, b), a, words == null);
    from = b;
  }
  put(unit.t.slice(from), from, true);
  return { text, at };
}

function wordsIn(unit, a, b) {
  const { text, at } = bare(unit);
  return text.slice(...[a, b].map((end) => at.filter((k) => k < end).length));
}

// Write a text into a pane: blocks (a heading, an item, a table), and in them the nodes of its sentences.
function write(pane, { units, tail, tails }, nodeOf) {
  let [block, row, before] = [pane, null, null];
  const between = (text, looks = []) => {
    // Marks that follow a sentence are drawn as its last words.
    const raised = before ? /^[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]*/.exec(text)[0] : "";
    let at = raised.length;
    if (raised) before.rest.push(el("span", { class: "raised" }, raised));
    // What ends a row of a table is part of its last cell.
    const put = (piece) => piece && (row ? row.rest.push(piece) : block.append(piece));
    for (const look of looks) {
      const gap = text.slice(at, look[0]);
      at = look[1];
      if (before && /^ ?$/.test(gap) && /^(gone|md-mark)/.test(look[2])) {
        before.rest.push(...[gap, styled(text.slice(look[0], at), look, look[0])].filter(Boolean));
        continue;
      }
      before = null;
      put(gap);
      if (look[2] === "open") {
        [block, row] = [el("div", { class: look[3], style: look[4] ? `--level:${look[4]}` : null }), null];
        pane.append(block);
      } else put(styled(text.slice(look[0], at), look, look[0]));
    }
    put(text.slice(at));
  };
  const nodes = units.map((unit, i) => {
    between(unit.b, unit.bs);
    const node = nodeOf(unit, i);
    node.rest = [];
    row = unit.c === undefined ? null : node;
    block.append(node);
    before = node;
    return node;
  });
  between(tail, tails);
  nodes.forEach((node, i) => draw(node, units[i], []));
  return nodes;
}

function bandOf(support, threshold) {
  if (support === null || threshold === null) return "none";
  if (support < threshold) return "low";
  return support < threshold + 0.15 * (1 - threshold) ? "near" : "ok";
}

// Only what is shown to be better than chance on labelled cases is filled with colour; other methods get thin lines.
const proven = (method) => method.proven;

// What every view says of a sentence: its findings, the surest first; without any, how far a method compared it.
function listedBy(data, m) {
  const doubts = data.methods[m]?.doubts || [];
  return data.checks.map((checks, i) => [...checks, ...data.differs[i], ...(doubts[i] || [])]);
}

const STANDING = { exact: "does not match the sources", differs: "differs from the passage beside it", doubtful: "doubtful" };
const BAND_WORDS = { low: "doubtful", near: "compared, close to doubtful", ok: "compared, nothing flagged", none: "not compared" };

function standing(data, method, i, threshold) {
  const first = data.findings[i]?.[0];
  return first ? STANDING[first.certainty] : BAND_WORDS[bandOf(method.s ? method.s[i] : null, threshold)];
}

const findingWords = (data, i) => (data.findings[i] || []).map((f) => ` ${f.why}`).join("");

// Strength 0..1 of a band's colour: the further from the threshold, the stronger.
function strengthOf(support, threshold) {
  if (support === null || threshold === null) return 0;
  if (support < threshold) return threshold > 0 ? 0.25 + 0.75 * (1 - support / threshold) : 1;
  return threshold < 1 ? (support - threshold) / (1 - threshold) : 1;
}

// How a flagged sentence relates to the sources, where the method says so: contradicted, or not stated.
const STANCES = { otherwise: { sign: "≠", words: "the method reads the sources as saying otherwise" }, silent: { sign: "∅", words: "the method reads the sources as silent on it" } };

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
  const nodes = write(pane, data.response, (unit, i) => {
    if (unit.h) return el("span", { class: "s heading", "data-i": i });
    const node = el("span", { class: "s", role: "option", "data-i": i, tabindex: "-1" });
    node.addEventListener("click", (event) => {
      const { cite, check } = event.target.closest("[data-cite], [data-check]")?.dataset || {};
      choose({ sentence: i, focus: "text", cite, check: check && data.findings[i][check] });
    });
    return node;
  });
  if (!nodes.length) pane.append(el("p", { class: "soft" }, "The response is empty."));
  return { pane, nodes };
}

function paintResponse(nodes, data, method, threshold, current, gold) {
  nodes.forEach((node, i) => {
    const unit = data.response.units[i];
    if (unit.h) return;
    const support = method.s ? method.s[i] : null;
    const band = bandOf(support, threshold);
    const certainty = data.findings[i][0]?.certainty;
    node.className = `s ${{ exact: "exact", differs: "aside" }[certainty] ?? band}${proven(method) ? "" : " unproven"}`;
    node.style.setProperty("--strength", strengthOf(support, threshold).toFixed(2));
    node.setAttribute("aria-selected", String(i === current));
    node.tabIndex = i === current ? 0 : -1;
    const layers = method.verbatim ? [{ css: "verbatim", spans: method.verbatim[i] }] : [];
    if (method.unsupported) layers.push({ css: "unsupported", spans: method.unsupported[i] });
    const difference = i === current ? differenceOf(data, method, i) : null;
    if (difference) layers.push({ css: "differs", spans: difference.r });
    layers.push(...citationLayers(data, i), ...checkLayers(data, i));
    const wrong = gold ? goldTypes(gold[i]) : [];
    if (wrong.length) layers.push({ css: "gold-error", spans: goldSpans(gold[i]) });
    const label = wrong.length ? ` Gold label: ${wrong.join(", ")}.` : "";
    const stance = stanceOf(method, i, threshold);
    const hint = ` Sentence ${i + 1}: ${standing(data, method, i, threshold)}${stance ? `, ${stance.words}` : ""}.${findingWords(data, i)}${label}${citationHint(data, i)}`;
    paintMarks(node, data.findings[i]);
    draw(node, unit, layers,
      el("sup", { "aria-hidden": "true" }, stance ? `${i + 1} ${stance.sign}` : String(i + 1)),
      el("span", { class: "hidden" }, hint),
    );
  });
}

// Marks after a sentence, as checks name them.
function paintMarks(node, checks) {
  for (const piece of node.rest.filter((p) => p.dataset)) {
    const check = checks.findIndex((c) => !c.at.length && c.text === piece.textContent);
    piece.classList.toggle("checked", check >= 0);
    if (check >= 0) piece.dataset.check = check;
  }
}

// Words that findings name; citations and quotations have layers of their own, and a doubt is about all of the sentence.
function checkLayers(data, i) {
  const css = { exact: "checked", differs: "beside" };
  const layers = data.findings[i].map((c, check) => ({ css: css[c.certainty], spans: spansIn(c.at, i), check, kind: c.kind }));
  return layers.filter((l) => l.css && l.spans.length && !["citation", "quotation", "condition"].includes(l.kind));
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
    nodes.push(...write(body, passage, () => el("span", { class: "c" })));
    heads.push(el("h3", { dir: "auto" }, passage.source));
    pane.append(el("section", { class: "p" }, heads.at(-1), body));
  });
  if (!data.context.length) pane.append(el("p", { class: "soft" }, "There are no sources."));
  return { pane, nodes, heads, painted: new Map() };
}

// Only what changes is touched, so that a context of ten thousand sentences stays quick.
function paintContext(context, data, method, i, threshold, gold) {
  for (const j of context.painted.keys()) {
    context.nodes[j].className = "c";
    context.nodes[j].removeAttribute("style");
    draw(context.nodes[j], data.contextUnits[j], []);
  }
  context.painted.clear();
  const best = method.near && i >= 0 ? paintMatches(context, data, method, i, threshold) : -1;
  for (const j of gold && i >= 0 ? gold[i].c : []) {
    context.nodes[j].classList.add("gold");
    lastCell(context.nodes[j]).append(el("sup", {}, "gold"));
    if (!context.painted.has(j)) context.painted.set(j, {});
  }
  return best >= 0 ? context.nodes[best] : null;
}

// A method may flag a sentence whose nearest passage is much like it: then that does not support it either.
const supportOfBest = (method, i) => Math.min(method.near[i][0]?.[1] ?? 0, method.s[i] ?? 1);
const weakMatch = (method, i, threshold) => bandOf(supportOfBest(method, i), threshold) === "low";


function paintMatches(context, data, method, i, threshold) {
  const best = method.best[i];
  const near = method.near[i].some(([j]) => j === best) || best < 0 ? method.near[i] : [...method.near[i], [best, 0]];
  for (const [j, support] of near) {
    const node = context.nodes[j];
    const weak = j === best && weakMatch(method, i, threshold);
    node.className = `c ${j === best ? "best" : "match"}${weak ? " weak" : ""}${proven(method) ? "" : " unproven"}`;
    node.style.setProperty("--strength", support.toFixed(2));
    const layers = [{ css: "verbatim", spans: method.quoted[i].filter((q) => q[0] === j).map((q) => [q[1], q[2]]) }];
    const difference = j === best ? differenceOf(data, method, i) : null;
    if (difference) layers.push({ css: "differs", spans: difference.c });
    context.painted.set(j, { layers, support });
    node.title = `Support ${shown(support)} by ${method.title}`;
    draw(node, data.contextUnits[j], layers);
    if (j === best) (node.querySelector(".md-cell") ?? node).prepend(el("span", { class: "hidden" }, `Nearest to sentence ${i + 1}: `));
  }
  return best;
}

// A place into view inside its pane; the page does not move.
function scrollInto(pane, node) {
  if (!node) return;
  const [outer, inner] = [pane.getBoundingClientRect(), node.getBoundingClientRect()];
  if (inner.top < outer.top + 8 || inner.bottom > outer.bottom - 8) pane.scrollTop += inner.top - outer.top - outer.height / 3;
}
