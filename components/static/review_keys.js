// The keys of the review: their list, those of the page and those in the sources.

const REVIEW_KEYS = [
  [["1"], "supported, and on to the next sentence"], [["2", "…", "5"], "any other decision; its sentence stays open for the reason"], [["t"], "type of the error"], [["w"], "the wrong words"],
  [["n"], "a note"], [["s"], "the source passage it rests on: ↑ ↓ Home, and Enter takes it"], [["Enter"], "on to the next sentence, from a field, too; from the whole answer to the next unread case"], [["Esc"], "from a field back to its sentence; what is typed is saved"],
  [["c"], "correct the sentence, or its wrong words, by what the source says"], [["q"], "fewer words of the source"], [["x"], "strike it out"],
  [["↑", "↓"], "sentence before or after"], [["u"], "undo the last decision, at its sentence"], [["/"], "search the sources: Enter goes on, Esc leaves it, and Enter takes the passage"], [["?"], "these keys"],
];

// The sources have keys of their own while a passage is chosen.
function sourceKey(view, event) {
  const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Home") view.unit = 0;
  else if (way) view.unit = Math.min(view.context.nodes.length - 1, Math.max(0, view.unit + way));
  else if (event.key === "Enter" && view.context.nodes[view.unit]) {
    if (view.of(view.sentence).rests !== view.unit) view.rest(view.unit);
    view.node().focus({ preventScroll: true });
  } else if (event.key === "Escape") view.node().focus({ preventScroll: true });
  else return;
  event.preventDefault();
  event.stopPropagation();
  view.paintSources();
  if (event.key === "Enter" || event.key === "Escape") return;
  scrollInto(view.context.pane, view.context.nodes[view.unit]);
  view.live.textContent = view.data.contextUnits[view.unit] ? bare(view.data.contextUnits[view.unit]).text : "";
}

function reviewKey(view, event) {
  if (view.leaving || isElsewhere(view, event, "input, select, [role=dialog]")) return;
  const target = event.composedPath()[0];
  if (view.fields.interrupted) return view.fields.resume();
  const ruling = view.data.rulings.find((r) => r.key === event.key);
  // Where nothing has the focus, as when the page was just opened, keys are of the text.
  const inText = target instanceof Element && (view.response.pane.contains(target) || target === document.body);
  if (ruling) view.rule(ruling);
  else if (event.key === "u") view.undo();
  else if (event.key === "t") view.fields.type.focus();
  else if (event.key === "w") ["focus", "select"].forEach((does) => view.fields.words[does]());
  else if (event.key === "n") view.fields.note.focus();
  else if (event.key === "s") view.choosePassage();
  else if (event.key === "c") view.fields.correction.take();
  else if (event.key === "x") view.fields.correction.strikeOut();
  else if (event.key === "q") view.fields.correction.words.focus();
  else if (event.key === "/") view.search.input.focus();
  else if (event.key === "?") view.keys.showModal();
  else if (inText && event.key === "Enter") view.goOn();
  else if (inText && event.key === "ArrowDown") view.step(1);
  else if (inText && event.key === "ArrowUp") view.step(-1);
  else return;
  event.preventDefault();
}
