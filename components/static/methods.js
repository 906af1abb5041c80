// The list of methods: a click or Enter opens one, whose card stands beside the list or below it.

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".methods");
  const focused = root.getRootNode().activeElement?.dataset?.key;
  const before = root.dataset.open;
  // Links of before named a card of the page by its place.
  const named = !before && data.methods.find((m) => location.hash === `#method-${m.id.replace(":", "-")}`);
  if (named && named.id !== data.open) setTriggerValue("opened", named.id);
  root.dataset.open = data.open;
  root.replaceChildren(drawMethods(data, (id) => setTriggerValue("opened", id)));
  const rows = [...root.querySelectorAll("tbody button")];
  const current = rows.find((b) => b.dataset.key === focused) || rows.find((b) => b.getAttribute("aria-pressed") === "true") || rows[0];
  rove(rows, current);
  if (focused) current.focus({ preventScroll: true });
  // Where the card stands below the list, a click on a method would seem to do nothing.
  if (before && before !== data.open) document.querySelector(".st-key-open_method")?.scrollIntoView({ block: "nearest" });
}

function drawMethods(data, open) {
  const rows = data.methods.map((method) => {
    const button = el("button", { type: "button", "data-key": method.id, "aria-pressed": String(method.id === data.open) }, method.title);
    const line = el(
      "tr",
      { class: method.kind, "data-open": method.id === data.open },
      el("th", { scope: "row" }, button),
      el("td", {}, el("span", { class: `state ${method.kind}` }, method.state)),
      ...method.figures.map((figure) => el("td", { class: "figure" }, figure)),
    );
    line.addEventListener("click", () => open(method.id));
    return line;
  });
  const heads = data.heads.map((head, i) => el("th", { scope: "col", class: i > 1 ? "figure" : null }, head));
  const table = el("table", {}, el("caption", {}, data.caption), el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...rows));
  table.addEventListener("keydown", (event) => move(event, table));
  return el("div", { class: "scroll" }, table);
}
