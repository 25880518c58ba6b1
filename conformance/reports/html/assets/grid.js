// Small arrays drawn as grids, the differing elements marked.

const MOST_ELEMENTS = 64;
const MOST_RANK = 4;

/** An array that was taken apart, as tables of its last two axes; null where it is too large to draw, or empty. */
function drawn(array, label, differing) {
  const { shape, values } = array;
  const size = shape.reduce((product, length) => product * length, 1);
  if (size === 0 || size > MOST_ELEMENTS || shape.length > MOST_RANK) return null;
  const differs = new Set(differing);
  const rows = shape.length === 0 ? [[values]] : shape.length === 1 ? [values] : null;
  const blocks = rows ? [{ place: [], rows }] : blocksOf(values, shape.length - 2);
  return el("div", { class: "blocks" }, blocks.map(({ place, rows: lines }) => el("figure", {},
    place.length > 0 && el("figcaption", {}, `[${place.join(", ")}]`),
    matrix(lines, `${label} ${place.join(", ")}`, (row, column) =>
      differs.has(indexText([...place, ...[row, column].slice(shape.length < 2 ? 2 - shape.length : 0)]))))));
}

/** The matrices below some leading axes, each with its place. */
function blocksOf(values, depth, place = []) {
  if (depth === 0) return [{ place, rows: values }];
  return values.flatMap((part, at) => blocksOf(part, depth - 1, [...place, at]));
}

function indexText(index) {
  return `[${index.join(", ")}]`;
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
