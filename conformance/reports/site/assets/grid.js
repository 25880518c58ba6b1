// Small arrays as grids with the differing elements marked.

import { el } from "./dom.js";
import { indexText, indicesOf, numberOf } from "./indices.js";

/** @import { Description, Differences, Place } from "./page.d.ts" */

/** An array as tables of its last two axes; null if its elements are not in the payload.
 * @param {Description} array @param {string} label @param {number[][]} differing */
export function grid({ shape, cells }, label, differing) {
  if (!shape || !cells) return null;
  const [rows, columns] = shape.length > 1 ? shape.slice(-2) : [1, shape[0] ?? 1];
  const differs = new Set(differing.map((index) => numberOf(index, shape)));
  const blocks = Array.from({ length: cells.length / (rows * columns) }, (_, block) => {
    const outer = indicesOf(block, shape.slice(0, -2));
    const first = block * rows * columns;
    const lines = Array.from({ length: rows }, (_line, row) => el("tr", {},
      cells.slice(first + row * columns, first + (row + 1) * columns).map((text, column) =>
        gridCell(text, differs.has(first + row * columns + column)))));
    return el("figure", {}, outer.length > 0 && el("figcaption", {}, indexText(outer)),
      el("table", { class: "grid", "aria-label": `${label} ${outer.join(", ")}` }, el("tbody", {}, lines)));
  });
  return el("div", { class: "blocks" }, blocks);
}

/** @param {string} text @param {boolean} differs */
function gridCell(text, differs) {
  return el("td", { class: differs && "differs" }, text, differs && el("span", { class: "unseen" }, " differs"));
}

/** The indices of the elements that differ; none of a place in one of several results, which no array has.
 * @param {Differences | null} differs @returns {number[][]} */
export function placesOf(differs) {
  return (differs?.rows ?? []).flatMap(([place]) => (typeof place === "string" ? [] : [place]));
}

/** @param {Place} place */
function placeText(place) {
  return typeof place === "string" ? place : indexText(place);
}

/** The elements that differ, with their indices.
 * @param {Differences} differs */
export function differences(differs) {
  const rows = differs.rows.map(([place, ...values]) =>
    el("tr", {}, [placeText(place), ...values].map((text) => el("td", {}, text))));
  const head = ["index", "expected", "actual"].map((name) => el("th", { scope: "col" }, name));
  return [
    el("h3", {}, `Elements that differ: ${differs.count} of ${differs.total}`),
    el("table", { class: "rows numbers" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows)),
    differs.more > 0 && el("p", {}, `and ${differs.more} more`),
    differs.largest && el("p", {}, `The largest difference is ${differs.largest[0]}, at ${placeText(differs.largest[1])}.`),
  ];
}
