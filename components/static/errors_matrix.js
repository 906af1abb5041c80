// A matrix of shares: a table whose numbers are buttons that list what they count.

const WAIT = 10_000; // ms

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".errors");
  const focused = root.getRootNode().activeElement?.dataset?.key;
  root.replaceChildren(drawMatrix(data, (part, method) => {
    setTriggerValue("picked", { part, method });
    if (data.below) reveal(data.below, performance.now() + WAIT);
  }));
  // A rerun redraws the table; keep the keyboard focus where it was.
  if (focused) root.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

// What a number lists stands below and is drawn later: go there as soon as it is.
function reveal(key, until) {
  const there = document.querySelector(`.st-key-${key}`);
  if (there) {
    there.scrollIntoView({ block: "start" });
    there.tabIndex = -1;
    there.focus({ preventScroll: true });
  } else if (performance.now() < until) requestAnimationFrame(() => reveal(key, until));
}

function drawMatrix(data, pick) {
  const heads = data.heads.map((h) => el("th", { scope: "col", class: h.rule ? "rule" : null }, el("abbr", { title: h.hint }, h.title), soft(h.count)));
  const lines = data.lines.map((line) =>
    el(
      "tr",
      { class: line.total ? "total" : null },
      el("th", { scope: "row" }, line.title, soft(line.rule), soft(line.coverage)),
      ...line.cells.map((c, i) => el("td", { class: data.heads[i].rule ? "rule" : null }, cell(c, line, data.heads[i], data.action, pick))),
    ),
  );
  const table = el(
    "table",
    { class: "matrix" },
    el("caption", { class: "hidden" }, data.caption),
    el("thead", {}, el("tr", {}, el("th", { class: "corner", scope: "col" }, data.corner), ...heads)),
    el("tbody", {}, ...lines),
  );
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": data.caption }, table);
}

function cell(c, line, head, action, pick) {
  const rate = el("span", { class: "rate" }, el("b", {}, c.rate), c.interval && el("span", { class: "soft" }, c.interval));
  const numbers = [rate, soft(c.count), c.none && soft(c.none)].filter(Boolean);
  if (!c.cases) return el("div", { class: "cell" }, ...numbers);
  const button = el(
    "button",
    {
      class: "cell",
      type: "button",
      style: `--share:${c.share}`,
      "data-tone": c.tone,
      "data-key": `${c.part} ${line.method}`,
      "aria-pressed": String(c.pressed),
      title: action,
    },
    el("span", { class: "hidden" }, `${line.title}, ${head.title}: `),
    ...numbers,
  );
  button.addEventListener("click", () => pick(c.part, line.method));
  return button;
}

function soft(text) {
  return el("span", { class: "soft" }, text);
}
