// The list of methods: a click or Enter opens one, whose card stands beside the list or below it. Those that are not ready are folded.

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".methods");
  const focused = root.getRootNode().activeElement?.dataset?.key;
  const before = root.dataset.open;
  // Links of before named a card of the page by its place.
  const named = !before && data.methods.find((m) => location.hash === `#method-${m.id.replace(":", "-")}`);
  if (named && named.id !== data.open) setTriggerValue("opened", named.id);
  root.dataset.open = data.open;
  if (before !== data.open && data.methods.some((m) => m.id === data.open && m.kind === "missing")) root.dataset.unfolded = true;
  root.replaceChildren(drawMethods(data, root, (id) => setTriggerValue("opened", id)));
  const rows = [...root.querySelectorAll("tbody button")];
  const current = rows.find((b) => b.dataset.key === focused) || rows.find((b) => b.getAttribute("aria-pressed") === "true") || rows[0];
  rove(rows, current);
  if (focused) current.focus({ preventScroll: true });
  // Where the card stands below the list, a click on a method would seem to do nothing.
  if (before && before !== data.open) document.querySelector(".st-key-open_method")?.scrollIntoView({ block: "nearest" });
}

function drawMethods(data, root, open) {
  const draw = (method) => {
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
  };
  const missing = data.methods.filter((m) => m.kind === "missing");
  const folded = el("tbody", {}, ...missing.map(draw));
  const words = missing.length === 1 ? "1 method is not ready" : `${missing.length} methods are not ready`;
  const fold = el("button", { type: "button", class: "fold", "data-key": "fold" }, words);
  const set = (open) => {
    root.dataset.unfolded = open;
    folded.hidden = !open;
    fold.setAttribute("aria-expanded", open);
  };
  set(root.dataset.unfolded === "true");
  fold.addEventListener("click", () => set(folded.hidden));
  const bodies = [el("tbody", {}, ...data.methods.filter((m) => m.kind !== "missing").map(draw))];
  if (missing.length) bodies.push(el("tbody", {}, el("tr", {}, el("th", { colspan: data.heads.length }, fold))), folded);
  const heads = data.heads.map((head, i) => el("th", { scope: "col", class: i > 1 ? "figure" : null }, head));
  const table = el("table", {}, el("caption", {}, data.caption), el("thead", {}, el("tr", {}, ...heads)), ...bodies);
  table.addEventListener("keydown", (event) => move(event, table));
  return el("div", { class: "scroll" }, table);
}
