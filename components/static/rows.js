// A table whose rows are buttons: one is reached by Tab, arrow keys, Home and End go to the others that are not folded.

function move(event, table) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const rows = [...table.querySelectorAll("tbody:not([hidden]) button")];
  const at = rows.indexOf(event.target);
  const step = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (at < 0 || step === undefined || !rows[step]) return;
  event.preventDefault();
  rove(rows, rows[step]);
  rows[step].focus();
}

function rove(rows, current) {
  for (const row of rows) row.tabIndex = row === current ? 0 : -1;
}
