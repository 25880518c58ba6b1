// Small arrays drawn as grids, the differing elements marked.

/** The matrices of an array; ``marked`` lists [block, row, column] of the elements that differ. */
function drawn(blocks, label, marked) {
  const differs = new Set(marked.map((place) => place.join()));
  const figures = blocks.map(([place, rows], number) => el("figure", {},
    place && el("figcaption", {}, place),
    matrix(rows, `${label} ${place}`, (row, column) => differs.has([number, row, column].join()))));
  return el("div", { class: "blocks" }, figures);
}

function matrix(rows, label, differs) {
  const cell = (text, wrong) =>
    el("td", { class: wrong && "differs" }, text, wrong && el("span", { class: "unseen" }, " differs"));
  const lines = rows.map((row, i) => el("tr", {}, row.map((text, j) => cell(text, differs(i, j)))));
  return el("table", { class: "grid", "aria-label": label }, el("tbody", {}, lines));
}

/** The elements that differ, with their indices. */
function differences(differs) {
  const rows = differs.rows.map((row) => el("tr", {}, row.map((text) => el("td", {}, text))));
  const head = ["index", "expected", "got"].map((name) => el("th", { scope: "col" }, name));
  const [by, at] = differs.largest ?? [];
  return [
    el("h3", {}, `Elements that differ: ${differs.said}`),
    el("table", { class: "rows numbers" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows)),
    differs.more > 0 && el("p", {}, `and ${differs.more} more`),
    differs.largest && el("p", {}, `The greatest difference is ${by}, at ${at}.`),
  ];
}
