// What the heatmap decides without a browser: bands, verdicts, gold labels, citations, keys and the places of marks.

import assert from "node:assert/strict";
import test from "node:test";

import { FakeElement, scripts } from "./heatmap.mjs";

const units = (...texts) => texts.map((t) => ({ t, b: "", h: false }));
const method = (s, more = {}) => ({ id: "m", title: "M", s, threshold: 0.5, support: Math.min(...s.filter((x) => x !== null)), ...more });

test("a support is flagged below the threshold, near it above, and has no band where one of them is missing", () => {
  const { bandOf, strengthOf } = scripts();
  assert.deepEqual([0.49, 0.5, 0.574, 0.576, 1].map((s) => bandOf(s, 0.5)), ["low", "near", "near", "ok", "ok"]);
  assert.deepEqual([bandOf(null, 0.5), bandOf(0.5, null)], ["none", "none"]);
  assert.deepEqual([strengthOf(0, 0.5), strengthOf(0.25, 0.5), strengthOf(1, 0.5), strengthOf(0, 0), strengthOf(1, 1), strengthOf(null, 1)], [1, 0.625, 1, 0, 1, 0]);
});

test("a row says how many sentences its method doubts", () => {
  const { flaggedBy, readingOf } = scripts();
  assert.deepEqual([flaggedBy(method([0.1, null, 0.9]), 0.5), flaggedBy(method([0.1]), null)], [[0], []]);
  assert.deepEqual([readingOf(method([0.1, 0.9]), 0.5), readingOf(method([0.9]), 0.5), readingOf(method([0.9]), null), readingOf({ s: null, words: "Not sent yet" }, 0.5)], ["1 doubtful", "none doubtful", "no threshold set", "Not sent yet"]);
});

test("a promise holds down to its own threshold", () => {
  const { promiseWords } = scripts();
  const promised = { s: [1], promise: { threshold: 0.4, words: "Promised." } };
  assert.equal(promiseWords(promised, 0.4), "Promised.");
  assert.equal(promiseWords(promised, 0.39), "Below 0.4000 its promise about misses does not hold.");
});

test("without labels, and only there, the share that a method flags stands beside its share where people labelled", () => {
  const { shareWords } = scripts();
  const judged = { s: [0.1, null, 0.4, 0.9], standing: { words: "", shares: [0, 0.2, 0.3, 0.5, 0.8] } };
  const unlabelled = { grounded: null, gold: null };
  assert.equal(shareWords(unlabelled, judged, 0.5), "It flags 2 of 3 sentences here, 67 %; on the sets labelled by people 60 %.");
  assert.deepEqual([shareWords({ ...unlabelled, grounded: false }, judged, 0.5), shareWords(unlabelled, judged, null), shareWords(unlabelled, { s: [1], standing: null }, 0.5)], ["", "", ""]);
});

const finding = (certainty, text, more = {}) => ({ certainty, kind: "figure", text, why: `“${text}” is not in the sources.`, at: [], place: null, ...more });

test("a sentence is named by its surest finding, and never cleared by a method that supports it", () => {
  const { listedBy, standing } = scripts();
  const supported = method([0.9, 0.9, 0.9, 0.1], { doubts: [[], [], [], [finding("doubtful", "all of it")]] });
  const data = { methods: [supported], checks: [[finding("exact", "$5")], [], [], []], differs: [[finding("differs", "may")], [finding("differs", "or")], [], []] };
  data.findings = listedBy(data, 0);
  const words = [0, 1, 2, 3].map((i) => standing(data, supported, i, 0.5));
  assert.deepEqual(words, ["does not match the sources", "differs from the passage beside it", "compared, nothing flagged", "doubtful"]);
  assert.deepEqual(data.findings[0].map((f) => f.text), ["$5", "may"]);
});

test("a flagged sentence is contradicted or not said only where the method says so", () => {
  const { stanceOf } = scripts();
  const judge = method([0.1, 0.2, 0.9, 0.1], { otherwise: [true, false, true, null] });
  assert.deepEqual([0, 1, 2, 3].map((i) => stanceOf(judge, i, 0.5)?.words ?? null), ["the method reads the sources as saying otherwise", "the method reads the sources as silent on it", null, null]);
});

test("a passage that does not support the sentence beside it is weak", () => {
  const { weakMatch } = scripts();
  const m = method([0.9, 0.1, 0.1], { near: [[[0, 0.95]], [[2, 0.8]], []] });
  assert.deepEqual([0, 1, 2].map((i) => weakMatch(m, i, 0.5)), [false, true, true]);
});

test("a text is cut at every border of its layers and keeps each letter once, as text", () => {
  const { fragments } = scripts();
  const text = "a <b>😀c</b> אב";
  const cut = fragments(text, [{ css: "x", spans: [[0, 7]] }, { css: "y", spans: [[2, text.length]], cite: 3 }]);
  assert.equal(cut.map((part) => part.textContent ?? part).join(""), text);
  assert.deepEqual(cut.map((part) => part.attributes?.class ?? ""), ["x", "x y", "y"]);
  assert.equal(cut[1].attributes["data-cite"], "3");
  assert.deepEqual(fragments("", []), []);
});

// "It **is** [so](x) &amp; done", as the server cuts it.
const shownUnit = { t: "It **is** [so](x) &amp; done", ts: [[3, 5, "gone"], [5, 7, "md-bold"], [7, 9, "gone"], [10, 11, "gone"], [11, 13, "md-link", null, "x"], [13, 17, "gone"], [18, 23, "md-other", "&"]] };

test("signs of Markdown are not drawn, under layers too, and what stands for other characters is drawn once", () => {
  const { fragments } = scripts();
  const cut = fragments(shownUnit.t, [{ css: "differs", spans: [[0, 6], [20, 28]] }], shownUnit.ts);
  assert.equal(cut.map((part) => part.textContent ?? part).join(""), "It is so & done");
  assert.deepEqual(cut.map((part) => part.attributes?.class ?? ""), ["differs", "differs", "md-bold", "", "md-link", "", "md-other", "differs"]);
  assert.equal(cut[4].attributes.title, "x");
  assert.deepEqual(cut.filter((part) => part.attributes?.href || part.tag === "a"), []);
});

test("words of a sentence are told as they are shown, and found again where they stand", () => {
  const { bare, wordsIn } = scripts();
  const { text, at } = bare(shownUnit);
  assert.equal(text, "It is so & done");
  assert.deepEqual([at[0], at[3], at[6], at[9], at[11]], [0, 5, 11, 18, 24]);
  assert.equal(wordsIn(shownUnit, 3, 17), "is so");
  assert.deepEqual(bare({ t: "plain" }).text, "plain");
});

test("a text is written in blocks, a row of a table in cells with the mark that ends it", () => {
  const { draw, write } = scripts();
  const pane = new FakeElement("div");
  const first = { b: "- ", t: "One.", bs: [[0, 0, "open", "md-item", 1], [0, 2, "md-marker", "• "]] };
  const line = { b: "\n| | ", t: "A | b", c: 1, bs: [[0, 1, "gone"], [1, 1, "open", "md-table", 0], [1, 5, "gone"]], ts: [[1, 4, "border"]] };
  const nodes = write(pane, { units: [first, line], tail: " [1] |", tails: [[1, 4, "md-mark"], [4, 6, "gone"]] }, () => new FakeElement("span"));
  assert.deepEqual(pane.children.map((block) => block.attributes.class), ["md-item", "md-table"]);
  assert.equal(pane.children[0].textContent, "• One.");
  assert.equal(pane.children[0].attributes.style, "--level:1");
  const cells = () => nodes[1].all("md-cell").map((cell) => cell.textContent);
  assert.deepEqual(cells(), ["", "A", "b [1]"]);
  draw(nodes[1], line, [{ css: "low", spans: [[0, 5]] }], "!");
  assert.deepEqual(cells(), ["", "A", "b [1]!"]);
});

test("a search keeps places where a letter in lower case becomes two", () => {
  const { lowered } = scripts();
  assert.equal(lowered("İSTANBUL Straße").length, "İSTANBUL Straße".length);
  assert.equal(lowered("LEASE"), "lease");
});

const gold = (more = {}) => ({ e: [], u: [], c: [], ...more });
const labelled = {
  grounded: false,
  context: [{ source: "p1" }, { source: "p2" }],
  unitPassages: [0, 0, 1],
  gold: [gold({ e: [{ type: "Misattribution", span: [0, 2] }], c: [2] }), gold({ u: [[0, 1]] }), gold({ c: [1] }), gold()],
};

test("gold labels are counted, and flags are read against them", () => {
  const { goldCount, goldReading, goldSound, goldTypes } = scripts();
  assert.equal(goldCount(labelled), "1 labelled wrong, 1 labelled unsupported");
  assert.deepEqual(labelled.gold.map((g) => goldSound(labelled, g)), [false, false, true, false]);
  assert.deepEqual(goldTypes(labelled.gold[1]), ["Not supported"]);
  assert.equal(goldReading(labelled, [0, 2, 3]), "1 of 2 found, 2 false alarms");
  assert.equal(goldReading(labelled, [0, 1, 2]), "2 of 2 found, 1 false alarm");
});

test("an ungrounded answer without spans is nowhere called sound", () => {
  const { goldCount, goldReading, goldSound, soundWords } = scripts();
  const bare = { ...labelled, gold: [gold({ c: [0] })] };
  assert.deepEqual([goldCount(bare), goldReading(bare, [0]), goldSound(bare, bare.gold[0])], ["ungrounded, no span says where", "", false]);
  assert.equal(soundWords(bare, bare.gold[0]), "The answer is labelled ungrounded; no span says where it is wrong.");
});

test("gold evidence is named by source and sentence, with the rank that the method gives it", () => {
  const { goldRanks } = scripts();
  const g = gold({ c: [0, 1, 2] });
  assert.equal(goldRanks(labelled, { near: [[[2, 0.9], [0, 0.5]]] }, 0, g), "p1, sentence 1 (match 2), 2 (not matched); p2, sentence 1 (best match)");
  assert.equal(goldRanks(labelled, { near: null }, 0, g), "p1, sentence 1, 2; p2, sentence 1");
});

const cited = {
  response: { units: [...units("a", "b", "c"), { t: "Head", h: true }] },
  citations: {
    items: [
      { u: 0, state: "here", text: "28 U.S.C.", at: [[0, 0, 1]], marks: [] },
      { u: 2, state: "different", text: "477 U.S.", at: [[2, 0, 1]], marks: [[2, 0, 1]] },
      { u: 1, state: "absent", text: "381 U.S.", at: [[1, 0, 1]], marks: [] },
      { u: 3, state: "unread", text: "12 Zyx.", at: [], marks: [] },
    ],
    quotes: [{ u: 2, ok: false, at: [[2, 0, 1]], text: "oral" }],
  },
};

test("doubtful citations are visited in the order of the text, and a filter hides the others", () => {
  const { citationLayers, citeLine, citesOf, doubtfulSentences, setFilter, worstState, wrongQuotesOf } = scripts();
  assert.equal(citeLine({ data: {} }).textContent, "No legal citation, no quotation");
  assert.deepEqual(doubtfulSentences(cited), [1, 2]);
  assert.equal(worstState(cited.citations.items), "absent");
  assert.deepEqual(citationLayers(cited, 2).map((layer) => layer.css), ["cite different", "differs citepart", "misquoted"]);
  const states = (filter) => (setFilter(filter), [0, 1, 2, 3].flatMap((i) => citesOf(cited, i).map((c) => c.state)));
  assert.deepEqual(states("doubtful"), ["absent", "different", "unread"]);
  assert.deepEqual(states("absent"), ["absent"]);
  assert.deepEqual(wrongQuotesOf(cited, 2), []);
  assert.deepEqual(states("none"), []);
  assert.deepEqual(citationLayers(cited, 2), []);
});

// A heatmap of four sentences, the second a heading, whose choices are only remembered.
function walked() {
  const all = scripts();
  const view = Object.create(all.Heatmap.prototype);
  const heading = { t: "Head", h: true };
  const response = { units: [...units("one"), heading, ...units("two", "three")] };
  Object.assign(view, { thresholds: {}, method: 0, sentence: 0, data: { response, findings: [[], [], [], []], order: [], methods: [method([0.1, null, 0.2, 0.9], { order: [3, 0, 2] }), method([0.9, null, 0.7, 0.8], { id: "n", order: [] })] } });
  view.choose = (choice) => Object.assign(view, choice);
  return { ...all, view };
}

test("the next finding is the next in their order, and where there is none each sentence once from the least supported", () => {
  const { view } = walked();
  assert.deepEqual([view.order(), view.weakest(), view.claims()], [[3, 0, 2], [0, 2, 3], [0, 2, 3]]);
  const steps = (count) => Array.from({ length: count }, () => (view.next("text"), view.sentence));
  assert.deepEqual(steps(3), [2, 3, 0]);
  Object.assign(view, { method: 1, sentence: 2 });
  assert.deepEqual(steps(3), [3, 0, 2]);
  assert.deepEqual([view.firstSentence(1), view.firstSentence(3)], [2, 3]);
  view.method = 0;
  assert.equal(view.firstSentence(-1), 3);
});

test("a finding is shown with the place to read beside it", () => {
  const { view } = walked();
  const place = { p: 0, at: [[2, 0, 4]] };
  view.data.findings = [[], [], [], [finding("exact", "$7"), finding("exact", "$8", { place })]];
  view.next("text");
  assert.deepEqual([view.sentence, view.check], [2, undefined]);
  view.next("text");
  assert.deepEqual([view.sentence, view.check.place, view.placeToRead()], [3, place, place]);
});

test("words that a check names are marked, but for citations and quotations, which have marks of their own", () => {
  const { checkLayers, paintMarks } = scripts();
  const check = (kind, text, at, certainty = "exact") => ({ kind, text, at, certainty });
  const checks = [check("citation", "1 U.S. 1", [[0, 0, 8]]), check("figure", "$5", [[0, 10, 12]]), check("mark", "[9]", []), check("modal", "may", [[0, 14, 17]], "differs"), check("support", "all", [[0, 0, 17]], "doubtful")];
  const layers = checkLayers({ findings: [checks] }, 0).map(({ css, spans, check: index }) => [css, spans, index]);
  assert.deepEqual(layers, [["checked", [[10, 12]], 1], ["beside", [[14, 17]], 3]]);
  const mark = (textContent) => ({ textContent, dataset: {}, on: null, classList: { toggle(_, on) { this.on = on; } } });
  const rest = [" ", mark("[1]"), mark("[9]")];
  paintMarks({ rest }, checks);
  assert.deepEqual(rest.slice(1).map((m) => [m.classList.on, m.dataset.check]), [[false, undefined], [true, 2]]);
});

test("a mark that follows a sentence is drawn in it, and what stands on the next line is not", () => {
  const { write } = scripts();
  const text = { units: [{ t: "One.", b: "" }, { t: "Two.", b: "[1] ", bs: [[0, 3, "md-mark"]] }, { t: "Six.", b: "¹\n\n", bs: [] }], tail: "\n[2]", tails: [[1, 4, "md-mark"]] };
  const pane = new FakeElement("div");
  const nodes = write(pane, text, () => new FakeElement("span"));
  assert.deepEqual(nodes.map((node) => node.textContent), ["One.[1]", "Two.¹", "Six."]);
  assert.equal(pane.textContent, "One.[1] Two.¹\n\nSix.\n[2]");
});

test("arrow keys walk sentences over headings and methods around their end, in text and strip each its own way", () => {
  const { view, walkKey } = walked();
  const press = (key, css) => {
    let prevented = false;
    const target = new FakeElement("span");
    target.setAttribute("class", css);
    walkKey(view, { key, composedPath: () => [target], preventDefault: () => (prevented = true) });
    return prevented && [view.sentence, view.method, view.focus];
  };
  assert.deepEqual(press("ArrowDown", "s"), [2, 0, "text"]);
  assert.deepEqual(press("End", "s"), [3, 0, "text"]);
  assert.deepEqual(press("ArrowDown", "s"), [3, 0, "text"]);
  assert.deepEqual(press("ArrowUp", "s"), [2, 0, "text"]);
  assert.deepEqual(press("ArrowLeft", "s"), [2, 1, "text"]);
  assert.deepEqual(press("ArrowDown", "cell"), [2, 0, "strip"]);
  assert.deepEqual(press("ArrowLeft", "cell"), [0, 0, "strip"]);
  assert.equal(press("x", "s"), false);
  assert.equal(press("Home", "why"), false);
});

test("keys of the page act nowhere where one types, and a small heatmap knows one alone", () => {
  const { view, documentKey } = walked();
  const done = [];
  Object.assign(view, { root: { isConnected: true }, keys: { showModal: () => done.push("keys") }, next: () => done.push("next"), decide: () => done.push("decide"), stepSource: (way) => done.push(way) });
  view.search = { input: { focus: () => done.push("search") } };
  const press = (key, tag = "div", more = {}) => documentKey(view, { key, composedPath: () => [new FakeElement(tag)], preventDefault() {}, ...more });
  for (const key of ["n", "d", "[", "]", "/", "?", "x"]) press(key);
  assert.deepEqual(done.splice(0), ["next", "decide", -1, 1, "search", "keys"]);
  for (const tag of ["textarea", "select", "dialog"]) press("n", tag);
  press("n", "div", { ctrlKey: true });
  assert.deepEqual(done, []);
  view.data.small = true;
  for (const key of ["?", "n", "d", "]"]) press(key);
  assert.deepEqual(done, ["next"]);
});

test("a heatmap opens with the method that was chosen, else with the first, even while it works", () => {
  const { view } = walked();
  view.data.methods = [{ id: "a", s: null, busy: true }, { id: "b", s: [1] }];
  assert.deepEqual([view.openingMethod("b"), view.openingMethod("gone"), view.openingMethod("")], [1, 0, 0]);
});

test("a large matrix has the rows that match best, in the order of the sources", () => {
  const { matrixRows } = scripts();
  const near = [[[70, 0.9], [3, 0.2]], [[5, 0.8], [3, 0.1]]];
  assert.deepEqual(matrixRows({ unitTexts: Array(100).fill("") }, { near }), [3, 5, 70]);
  assert.deepEqual(matrixRows({ unitTexts: Array(4).fill("") }, { near }), [0, 1, 2, 3]);
});

test("a document stands once in the list of sources, over its passages", () => {
  const { sourceList } = scripts();
  const passage = (source, document) => ({ source, document });
  const context = [passage("lease.pdf, Rent", "lease.pdf"), passage("Act", "Act"), passage("lease.pdf, Notice", "lease.pdf"), passage("Passage 4", ""), passage("Passage 5", "")];
  const { node } = sourceList({ data: { context, findings: [] }, showSource() {} });
  assert.equal(node.children[0].textContent, "4 sources");
  const lists = node.children[1].children[0].children;
  assert.deepEqual(lists.map((item) => item.textContent.trim()), ["lease.pdf: 2 passagesRent Notice", "Act", "Passage 4", "Passage 5"]);
});
