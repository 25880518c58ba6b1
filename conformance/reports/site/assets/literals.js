// Arrays and calls as text and as elements, from the form in which the files of the site have them. Numbers stay texts, since
// those of JavaScript are not those of every dtype. reports/literals.py writes the same for the terminal.

/** @import { Argument, Case, Cases, Described, Description, Part, Picture, StoredPart, StoredPicture } from "./page.d.ts" */
/** @typedef {string | Nested[]} Nested elements in nested lists */

const WIDTH = 76; // columns of a line of nested lists; longer ones are broken into rows
const MOST_ELEMENTS = 64; // that are drawn one by one, as pictures.py has it
const MOST_RANK = 4;
const INDENT = 2; // of an argument of a call
/** @type {Record<string, string>} */
const NAMES = { true: "True", false: "False", null: "None" };

/** The elements of an array from their JSON.
 * @param {string} json @returns {Nested} */
export function elementsOf(json) {
  return JSON.parse(json.replace(/"(?:[^"\\]|\\.)*"|[^[\],\s]+/g, (token) =>
    (token.startsWith('"') ? token : `"${NAMES[token] ?? token}"`)));
}

/** Nested lists on one line.
 * @param {Nested} values @returns {string} */
function flat(values) {
  return typeof values === "string" ? values : `[${values.map(flat).join(", ")}]`;
}

/** @param {Nested} values @returns {values is Nested[]} */
function isNested(values) {
  return typeof values !== "string" && values.some((value) => typeof value !== "string");
}

/** Nested lists on one line if they fit, else one row per line with aligned columns.
 * @param {Nested} values @param {number} indent @returns {string} */
export function nested(values, indent = 0) {
  const line = flat(values);
  if (indent + line.length <= WIDTH || !isNested(values)) return line;
  return `[${aligned(values).map((row) => nested(row, indent + 1)).join(`,\n${" ".repeat(indent + 1)}`)}]`;
}

/** The rows of a matrix with its elements padded to the same width; other lists unchanged.
 * @param {Nested[]} rows @returns {Nested[]} */
function aligned(rows) {
  if (rows.some((row) => typeof row === "string" || isNested(row))) return rows;
  const texts = /** @type {string[][]} */ (rows);
  const width = Math.max(0, ...texts.map((row) => Math.max(0, ...row.map((text) => text.length))));
  return texts.map((row) => row.map((text) => text.padStart(width)));
}

/** `(8,)`, `(3, 2)`, `()`.
 * @param {number[]} shape */
function shapeText(shape) {
  return shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
}

/** The elements in row-major order, if they are few enough to draw.
 * @param {string} elements @param {number[]} shape */
function cellsOf(elements, shape) {
  const size = shape.reduce((product, length) => product * length, 1);
  return shape.length <= MOST_RANK && size > 0 && size <= MOST_ELEMENTS ? flatElements(elementsOf(elements)) : null;
}

/** @param {Nested} values @returns {string[]} */
function flatElements(values) {
  return typeof values === "string" ? [values] : values.flatMap(flatElements);
}

/** An expectation or an outcome with all that is said of it.
 * @param {Described} stored @returns {Description} */
export function description(stored) {
  if (!Array.isArray(stored)) return { body: null, notes: [], shape: null, ...stored, cells: null };
  const [dtype, shape, elements, ...notes] = stored;
  const values = nested(elementsOf(elements));
  return { head: `${dtype} ${shapeText(shape)}`, body: values, notes, shape, cells: cellsOf(elements, shape) };
}

/** The text of each argument of a call, indented to follow `name = ` with names padded to the same width.
 * @param {Record<string, Argument>} call */
function callTexts(call) {
  const indent = INDENT + Math.max(0, ...Object.keys(call).map((name) => name.length)) + 3;
  return Object.fromEntries(Object.entries(call).map(([name, argument]) => [name, argumentText(argument, indent)]));
}

/** @param {Argument} argument @param {number} indent */
function argumentText(argument, indent) {
  if (typeof argument === "string") return argument;
  const [dtype, elements, view] = argument;
  return `${dtype} ${nested(elementsOf(elements), indent + dtype.length + 1)}${view ? `, ${view}` : ""}`;
}

/** A case by its id, with what it has in common with others; null for one that is not there.
 * @param {Cases} cases @param {string} id @returns {Case | null} */
export function caseOf(cases, id) {
  const row = cases.cases[id];
  if (!row) return null;
  const [about, also, picture, call, expected, control] = row;
  const [clause, origin, note, program, source] = cases.abouts[about];
  const stored = cases.pictures[picture];
  return {
    clause, origin, note, program, source, also: cases.also[also], call: callTexts(call), control: control ? callTexts(control) : null,
    expected: description(expected), picture: stored && pictureOf(stored, call),
  };
}

/** @param {StoredPicture} picture @param {Record<string, Argument>} call @returns {Picture} */
function pictureOf(picture, call) {
  return { ...picture, parts: picture.parts.map((part) => partOf(part, call[part.name])) };
}

/** A tensor with its dtype and elements as the call has them, unless the picture says them.
 * @param {StoredPart} part @param {Argument} argument @returns {Part} */
function partOf(part, argument) {
  const [dtype, elements, view] = Array.isArray(argument) ? argument : ["", "[]"];
  const head = `${dtype} ${shapeText(part.shape)}${view ? `, ${view}` : ""}`;
  return { head, cells: "head" in part ? null : cellsOf(elements, part.shape), ...part };
}
