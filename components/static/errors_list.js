// The list of cases: one row is reached by Tab, arrow keys move through the rows, Enter opens one.

const jumped = new WeakMap();

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".errors");
  const before = root.querySelector(".scroll");
  const focused = root.getRootNode().activeElement?.dataset?.key;
  const top = before && root.dataset.page === data.page ? before.scrollTop : 0;
  root.dataset.page = data.page;
  root.replaceChildren(drawList(data, (id) => setTriggerValue("opened", id)));
  const scroll = root.querySelector(".scroll");
  scroll.scrollTop = top;
  const rows = [...root.querySelectorAll("tbody button")];
  const current = rows.find((b) => b.dataset.key === focused) || rows.find((b) => b.getAttribute("aria-pressed") === "true") || rows[0];
  rove(rows, current);
  if (focused) current.focus({ preventScroll: true });
  reveal(scroll, root.querySelector("tr[data-opened]"));
  // After a click in the matrix, scroll to its cases; after coming back, scroll to the case that was open.
  const lastJump = jumped.get(parentElement);
  jumped.set(parentElement, data.jump);
  const asked = lastJump !== undefined && lastJump !== data.jump;
  if (asked || (lastJump === undefined && data.arrived)) root.scrollIntoView({ block: asked ? "center" : "start" });
  if (asked) current.focus({ preventScroll: true });
}

function drawList(data, open) {
  const heads = data.methods.map((m) =>
    el("th", { scope: "col", class: `method${data.upright ? " upright" : ""}${m.chosen ? " chosen" : ""}`, title: m.title }, el("span", {}, m.title)),
  );
  const rows = data.rows.map((row) => {
    const button = el("button", { type: "button", "data-key": row.id, "aria-pressed": String(row.opened), dir: "auto" }, row.question);
    const line = el(
      "tr",
      { "data-opened": row.opened },
      el("td", { class: "n" }, String(row.number)),
      el("th", { scope: "row" }, button),
      el("td", {}, row.label),
      el("td", { class: "types" }, row.types),
      ...row.calls.map((c) => el("td", { class: "call", "data-outcome": c.outcome, title: c.words }, el("span", { "aria-hidden": "true" }, c.symbol), el("span", { class: "hidden" }, c.words))),
    );
    line.addEventListener("click", () => open(row.id));
    return line;
  });
  const table = el(
    "table",
    { class: "list" },
    el("caption", { class: "hidden" }, data.caption),
    el(
      "thead",
      {},
      el("tr", {}, ...["No.", "Question", "Label", "Error types"].map((t, i) => el("th", { scope: "col", class: i === 1 ? "corner" : null }, t)), ...heads),
    ),
    el("tbody", {}, ...rows),
  );
  table.addEventListener("keydown", (event) => move(event, table));
  return el("div", { class: "list" }, el("div", { class: "scroll" }, table));
}

// Into view inside the list alone; the page does not move.
function reveal(scroll, row) {
  if (!row) return;
  const head = scroll.querySelector("thead").offsetHeight;
  if (row.offsetTop - head < scroll.scrollTop) scroll.scrollTop = row.offsetTop - head;
  else if (row.offsetTop + row.offsetHeight > scroll.scrollTop + scroll.clientHeight)
    scroll.scrollTop = row.offsetTop + row.offsetHeight - scroll.clientHeight;
}
