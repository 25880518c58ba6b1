// The matrices as grids: one cell of each is in the order of the Tab key, the arrow keys lead to the others.

const STEPS = {
  ArrowLeft: (rows, row, cell) => before(rows[row], cell),
  ArrowRight: (rows, row, cell) => after(rows[row], cell),
  ArrowUp: (rows, row, cell) => rows[row - 1]?.[rows[row].indexOf(cell)],
  ArrowDown: (rows, row, cell) => rows[row + 1]?.[rows[row].indexOf(cell)],
  Home: (rows, row) => rows[row][0],
  End: (rows, row) => rows[row].at(-1),
};

function before(row, cell) {
  return row[row.indexOf(cell) - 1];
}

function after(row, cell) {
  return row[row.indexOf(cell) + 1];
}

/** The cells of a matrix that can be seen, row by row. */
function visibleCells(table) {
  const { bodies } = matrices.find((one) => one.table === table);
  const rows = bodies.flatMap(({ rows }) => rows).filter(({ row }) => !row.hidden);
  return rows.map(({ cells }) => cells.filter((cell) => !cell.hidden));
}

function moveInGrid(event) {
  const cell = event.target.closest?.(".matrix td");
  if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    openCell(cell);
  } else if (event.key in STEPS) {
    event.preventDefault();
    const rows = visibleCells(cell.closest("table"));
    const next = STEPS[event.key](rows, rows.findIndex((row) => row.includes(cell)), cell);
    if (next) focusCell(next);
  }
}

/** Give a cell the focus, and the place of its matrix in the order of the Tab key. */
function focusCell(cell, options) {
  for (const other of cell.closest("table").querySelectorAll("td[tabindex]")) other.removeAttribute("tabindex");
  cell.tabIndex = 0;
  cell.focus(options);
}

/** After a filter each matrix has a cell that the Tab key reaches, unless none is left. */
function keepReachable() {
  for (const { table, bodies } of matrices) {
    const held = table.querySelector("td[tabindex]");
    if (held && !held.hidden && !held.parentElement.hidden) continue;
    held?.removeAttribute("tabindex");
    const row = bodies.flatMap(({ rows }) => rows).find((one) => !one.row.hidden);
    const cell = row?.cells.find((one) => !one.hidden);
    if (cell) cell.tabIndex = 0;
  }
}

function listenToKeys() {
  for (const { table } of matrices) table.setAttribute("role", "grid");
  document.getElementById("matrices").addEventListener("keydown", moveInGrid);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !panel.hidden) go(NOTHING_OPEN);
  });
}
