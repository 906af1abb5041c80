// The methods x sentences strip, and the matrix of one method.

function cellStyle(cell, method, support, threshold) {
  const band = bandOf(support, threshold);
  cell.classList.toggle("unproven", !proven(method));
  cell.dataset.band = band;
  cell.style.setProperty("--strength", strengthOf(support, threshold).toFixed(2));
}

// Where so many sentences stand in one strip that their figures cannot be read, cells have a colour alone.
const DENSE = 26;

function strip(data, choose, gold, toggle, next) {
  const count = data.response.units.length;
  const toggled = allMethods ? "Fewer methods" : `All ${data.methods.length} methods`;
  const all = el("button", { type: "button", class: "all", "aria-expanded": String(allMethods) }, toggled);
  all.addEventListener("click", toggle);
  const head = el("tr", {}, el("th", { scope: "col" }, data.methods.length > 1 ? all : "Method"));
  data.response.units.forEach((unit, i) => {
    if (unit.h) return;
    const number = count < DENSE || i === 0 || (i + 1) % 5 === 0 ? String(i + 1) : "";
    head.append(el("th", { scope: "col", title: bare(unit).text.slice(0, 200), "aria-label": `Sentence ${i + 1}` }, number));
  });
  head.append(el("th", { scope: "col", class: "reading" }, "Reading"));
  const body = el("tbody");
  const rows = data.methods.map((method, m) => {
    // Names for lawyers, or those of the field where all methods are shown. What distinguishes two parts of one method stands at
    // the end of their names, and must not be cut.
    const words = allMethods ? method.title : method.plain;
    const end = words.endsWith(")") ? words.lastIndexOf(" (") : -1;
    const title = end > 0 ? [el("span", {}, words.slice(0, end)), el("span", { class: "label" }, words.slice(end))] : [el("span", {}, words)];
    const name = el("button", { class: "m", type: "button", title: `${method.title}. ${method.measures}` }, ...title);
    name.addEventListener("click", () => choose({ method: m, focus: "none" }));
    const row = el("tr", { class: method.s ? "" : method.busy ? "idle busy" : "idle" }, el("th", { scope: "row" }, name));
    const cells = [];
    data.response.units.forEach((unit, i) => {
      if (unit.h) return;
      if (!method.s) return row.append(el("td", {}, el("span", { class: "blank" })));
      const label = `${method.title}, sentence ${i + 1}, support ${shown(method.s[i])}`;
      // A title beside a label is what a screen reader says after it.
      const cell = el("button", { class: "cell", type: "button", tabindex: "-1", "aria-label": label, title: reasonOf(data, method, i) || null });
      cell.append(shown(method.s[i]).replace(/^0\./, "."));
      cell.addEventListener("click", () => choose({ method: m, sentence: i, focus: "strip" }));
      cells[i] = cell;
      row.append(el("td", {}, cell));
    });
    const reading = el("td", { class: "reading" });
    row.append(reading);
    body.append(row);
    return { row, name, cells, reading };
  });
  body.prepend(checkRow(data, choose, next));
  if (allMethods && data.citations && citeFilter !== "none") body.append(citationRow(data, choose));
  if (gold) body.append(goldRow(data, choose));
  const dense = count < DENSE ? "" : " dense";
  const table = el("table", { class: `strip${dense}`, style: `min-width:${dense ? 290 + 9 * count : 360 + 26 * count}px` }, el("caption", { class: "hidden" }, "Support of every sentence by every method"), el("thead", {}, head), body);
  return { node: el("div", { class: "scroll", tabindex: "-1" }, table), rows };
}

// Not a method: what the checks find, whichever method is shown, and what is remarked.
function checkRow(data, choose, next) {
  const of = (i) => [...data.checks[i], ...data.differs[i]];
  const count = data.response.units.filter((unit, i) => !unit.h && of(i).length).length;
  const name = el("button", { class: "tocheck", type: "button", title: "Next finding", "aria-keyshortcuts": "n", disabled: !count }, "Checks ");
  name.addEventListener("click", next);
  const row = el("tr", { class: "checks" }, el("th", { scope: "row" }, name));
  data.response.units.forEach((unit, i) => {
    if (unit.h) return;
    const [findings, remarks] = [of(i), data.remarks[i]];
    const [first, ...more] = findings.length ? findings : remarks;
    if (!first) return row.append(el("td", {}, el("span", { class: "none" })));
    const words = [...findings, ...remarks].map((c) => c.why).join(" ");
    const css = { exact: "fact", differs: "beside", remark: "remark" }[first.certainty];
    const cell = el("button", { class: `cell ${css}`, type: "button", tabindex: "-1", title: words }, more.length ? `${first.text} +${more.length}` : first.text);
    cell.setAttribute("aria-label", `Sentence ${i + 1}: ${words}`);
    cell.addEventListener("click", () => choose({ sentence: i, focus: "none", check: first }));
    row.append(el("td", {}, cell));
  });
  const remarked = data.remarks.flat().length;
  const words = `${count || "no"} ${count === 1 ? "sentence" : "sentences"}${remarked ? `, ${remarked} ${remarked === 1 ? "remark" : "remarks"}` : ""}`;
  row.append(el("td", { class: "reading", title: `${words}. ${data.compared}` }, words));
  return row;
}

function paintStrip(rows, data, thresholds, current, chosen, gold) {
  rows.forEach(({ row, name, cells, reading }, m) => {
    const method = data.methods[m];
    row.hidden = !allMethods && m !== chosen && !data.leading.includes(m);
    name.setAttribute("aria-pressed", String(m === chosen));
    cells.forEach((cell, i) => {
      cellStyle(cell, method, method.s[i], thresholds[m]);
      const selected = m === chosen && i === current;
      if (selected) cell.setAttribute("aria-current", "true");
      else cell.removeAttribute("aria-current");
      cell.tabIndex = selected ? 0 : -1;
    });
    const flagged = readingOf(method, thresholds[m]);
    const against = gold && method.s && thresholds[m] !== null ? goldReading(data, flaggedBy(method, thresholds[m])) : "";
    reading.textContent = against || flagged;
    reading.title = [flagged, against && `against the gold labels: ${against}`, method.note].filter(Boolean).join(". ");
  });
}

function flaggedBy(method, threshold) {
  if (!method.s || threshold === null) return [];
  return method.s.map((s, i) => (s !== null && s < threshold ? i : -1)).filter((i) => i >= 0);
}

function readingOf(method, threshold) {
  if (!method.s) return method.words;
  if (threshold === null) return "no threshold set";
  const flagged = flaggedBy(method, threshold);
  return `${flagged.length || "none"} doubtful`;
}

const MATRIX_ROWS = 60;
const MATRIX_COLUMNS = 30;

// Rows of the matrix: all context sentences where they fit, otherwise those that match some sentence best.
function matrixRows(data, method) {
  const best = new Map();
  method.near.forEach((near) => near.forEach(([j, s]) => best.set(j, Math.max(s, best.get(j) || 0))));
  if (data.unitTexts.length <= MATRIX_ROWS) return data.unitTexts.map((_, j) => j);
  return [...best.entries()].sort((a, b) => b[1] - a[1]).slice(0, MATRIX_ROWS).map(([j]) => j).sort((a, b) => a - b);
}

// null: the method did not read this pair.
function thousandths(number) {
  return number === null ? null : number / 1000;
}

function matrixTable(data, method, threshold, current, choose, gold) {
  if (!method.s) return el("p", { class: "soft" }, method.words);
  const rows = matrixRows(data, method);
  const all = data.response.units.map((u, i) => (u.h ? -1 : i)).filter((i) => i >= 0);
  const start = Math.floor(Math.max(0, all.indexOf(current)) / MATRIX_COLUMNS) * MATRIX_COLUMNS;
  const columns = all.slice(start, start + MATRIX_COLUMNS);
  const supports = method.near.map((near) => new Map(near));
  const head = el("tr", {}, el("th", { scope: "col" }, "Source sentence"));
  for (const i of columns) {
    head.append(el("th", { scope: "col", title: bare(data.response.units[i]).text.slice(0, 200) }, String(i + 1)));
  }
  const body = el("tbody");
  for (const j of rows) {
    const [passage, { text }] = [data.unitPassages[j], bare(data.contextUnits[j])];
    const label = el("th", { scope: "row", title: text.slice(0, 400), dir: "auto" });
    label.append(el("span", { class: "soft" }, `${passage + 1} · `), text.length > 90 ? `${text.slice(0, 88)}…` : text);
    const row = el("tr", {}, label);
    for (const i of columns) {
      const value = method.matrix ? thousandths(method.matrix[i][j]) : (supports[i].get(j) ?? null);
      const cell = el("button", { class: "cell", type: "button", tabindex: "-1" }, value ? value.toFixed(2).replace(/^0\./, ".") : "");
      cell.setAttribute("aria-label", `Sentence ${i + 1}, source sentence ${j + 1}, ${value ? value.toFixed(2) : method.matrix && value === null ? "not read" : "no match"}`);
      cellStyle(cell, method, value, threshold);
      if (method.best[i] === j) cell.classList.add("best");
      if (i === current) cell.classList.add("column");
      if (gold && gold[i].c.includes(j)) {
        cell.classList.add("evidence");
        cell.setAttribute("aria-label", `${cell.getAttribute("aria-label")}, gold evidence`);
      }
      cell.addEventListener("click", () => choose({ sentence: i, focus: "none" }));
      row.append(el("td", {}, cell));
    }
    body.append(row);
  }
  const note = rows.length < data.unitTexts.length
    ? `The ${rows.length} of ${data.unitTexts.length.toLocaleString("en")} source sentences that match best.`
    : "Rows: source sentences, with their passage's number. Columns: response sentences. Outlined: each sentence's best match.";
  const marked = gold ? " Barred on the left: gold evidence." : "";
  const part = columns.length < all.length ? ` Sentences ${columns[0] + 1} to ${columns.at(-1) + 1}; choose another sentence for the others.` : "";
  const table = el("table", { class: "matrix" }, el("caption", {}, note + marked + part), el("thead", {}, head), body);
  return el("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "Matrix of supports" }, table);
}
