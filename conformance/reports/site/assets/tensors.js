// Tensors as cells in nested blocks, with brackets for their axes.

import { svg } from "./dom.js";
import { indicesOf, letterOf } from "./indices.js";

/** @import { Child } from "./dom.js" */
/** @import { Axis } from "./page.d.ts" */
/** @typedef {{ name: string, head: string, shape: number[], axes: Axis[], role?: string, upright?: boolean }} Drawn a tensor to draw */
/** @typedef {{ x: number, y: number, width: number, height: number }} Box */
/** @typedef {{ tints?: Map<number, number>, tags?: Map<number, number[]>, differs?: Set<number>, outside?: Set<number> }} Marks
 * by the number of an element */
/** @typedef {ReturnType<typeof geometry>} Geometry */
/** A drawn tensor: its size, the positions of its elements, and a function that draws it.
 * @typedef {{ part: Drawn, width: number, height: number, at: ((number: number) => Box) | null, right: number,
 *   draw: (x: number, y: number) => SVGElement }} TensorBox */

const CELL = 28; // height
const LETTER = 7.3; // width of a monospaced character
const BETWEEN = 9; // blocks
const BRACKET = 17;
const HEADING = 36; // name and dtype
export const LINE = 15; // of a heading

/** @param {number} x @param {number} y @param {string} kind @param {Child[]} texts */
export function svgText(x, y, kind, ...texts) {
  return svg("text", { x, y, class: kind }, ...texts);
}

/** @param {string} text @param {number} most */
export function cut(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** The layout of a tensor: the last two axes are rows and columns of a block; blocks go down, then across, along the axes before.
 * @param {Drawn} part @param {string[]} texts */
function geometry(part, texts) {
  const { shape, upright } = part;
  const [rows, columns] = shape.length > 1 ? shape.slice(-2) : upright ? [shape[0], 1] : [1, shape[0] ?? 1];
  const outer = shape.slice(0, -2);
  const blocksAcross = outer.length > 1 ? outer[1] : 1;
  const wide = Math.max(26, Math.max(0, ...texts.map((text) => text.length)) * LETTER + 12);
  const left = (shape.length > 1 || upright ? BRACKET : 0) + (outer.length > 0 ? BRACKET : 0);
  const top = (shape.length > 0 && !upright ? BRACKET : 0) + (outer.length > 1 ? BRACKET : 0);
  const block = { width: columns * wide, height: rows * CELL };
  /** @param {number} number */
  const at = (number) => {
    const index = indicesOf(number, shape);
    const [row, column] = shape.length > 1 ? index.slice(-2) : upright ? [index[0], 0] : [0, index[0] ?? 0];
    const [down, over] = outer.length > 1 ? index : [outer.length ? index[0] : 0, 0];
    const x = left + over * (block.width + BETWEEN) + column * wide;
    return { x, y: top + down * (block.height + BETWEEN) + row * CELL, width: wide, height: CELL };
  };
  const width = left + blocksAcross * (block.width + BETWEEN) - BETWEEN;
  const height = top + (outer[0] ?? 1) * (block.height + BETWEEN) - BETWEEN;
  return { left, top, block, at, width, height, upright };
}

/** The brackets at the edges of a tensor, one for each axis, distinguished by colour, line and name.
 * @param {Drawn} part @param {Geometry} layout */
function brackets(part, layout) {
  const last = part.shape.length - 1;
  return part.axes.map((group, axis) => {
    const length = part.shape[axis];
    const isRow = axis === last - 1 || (axis === last && layout.upright);
    if (axis === last && !layout.upright) return across(layout.left, layout.top - 5, layout.block.width, group, length);
    if (isRow) return along(layout.left - 5, layout.top, layout.block.height, group, length);
    if (axis === 0) return along(layout.left - 5 - BRACKET, layout.top, layout.height - layout.top, group, length);
    return across(layout.left, layout.top - 5 - BRACKET, layout.width - layout.left, group, length);
  });
}

/** @param {number} x @param {number} y @param {number} size @param {Axis} axis @param {number} length */
function across(x, y, size, axis, length) {
  return svg("g", { class: `axis colour-${axis[1]}` },
    svg("path", { d: `M${x + 1} ${y + 3}v-3h${size - 2}v3` }),
    svgText(x + size / 2, y - 5, "small middle", fitting(axis, length, size)));
}

/** @param {number} x @param {number} y @param {number} size @param {Axis} axis @param {number} length */
function along(x, y, size, axis, length) {
  const text = svgText(0, 0, "small middle", fitting(axis, length, size));
  text.setAttribute("transform", `translate(${x - 4} ${y + size / 2}) rotate(-90)`);
  return svg("g", { class: `axis colour-${axis[1]}` }, svg("path", { d: `M${x + 3} ${y + 1}h-3v${size - 2}h3` }), text);
}

/** A group and a length if they fit into a width, or else the length.
 * @param {Axis} axis @param {number} length @param {number} width */
function fitting([label], length, width) {
  const text = `${label} ${length}`;
  return text.length * 6.2 <= width + 4 ? text : String(length);
}

/** A cell with its text, the numbers of its moves, and a mark if it differs.
 * @param {Box} box @param {string} text @param {number} number @param {Marks} marks */
function cell({ x, y, width, height }, text, number, marks) {
  const [tint, tags, differs] = [marks.tints?.get(number), marks.tags?.get(number), marks.differs?.has(number)];
  const kind = differs ? "differs" : marks.outside?.has(number) ? "outside" : tint === undefined ? "" : `hit tint-${tint % 2}`;
  const tagged = tags ? cut(tags.map(letterOf).join(","), Math.max(2, Math.floor((width - 4) / 5))) : "";
  return svg("g", { class: `cell-of ${kind}` },
    svg("rect", { x, y, width, height }),
    differs && svg("rect", { x: x + 2, y: y + 2, width: width - 4, height: height - 4, class: "ring" }),
    svgText(x + width / 2, y + height - 7, "value middle", text),
    tagged && svgText(x + 3, y + 9, "tag", tagged),
    differs && svgText(x + width - 4, y + 10, "tag end", "≠"));
}

/** A tensor with its elements.
 * @param {Drawn} part @param {string[]} texts @param {Marks} marks @returns {TensorBox} */
export function cellsBox(part, texts, marks = {}) {
  const short = texts.map((text) => cut(text, 11));
  const layout = geometry(part, short);
  const head = headOf(part);
  return {
    part, right: layout.width, width: Math.max(layout.width, head.width), height: head.height + layout.height,
    at: (number) => ({ ...layout.at(number), y: layout.at(number).y + head.height }),
    draw: (x, y) => svg("g", { transform: `translate(${x} ${y})` }, head.nodes,
      svg("g", { transform: `translate(0 ${head.height})` }, brackets(part, layout),
        short.map((text, number) => cell(layout.at(number), text, number, marks)))),
  };
}

/** A tensor with too many elements or none, as a block.
 * @param {Drawn} part @param {string} caption @param {[move: number, at: number[]][]} spots @returns {TensorBox} */
export function blockBox(part, caption, spots = []) {
  const head = headOf(part);
  const [width, height] = [Math.max(150, caption.length * 6.4 + 16), 96];
  const marks = spots.map(([tag, [down, over]]) => {
    const y = head.height + down * height;
    const x = over === undefined ? 0 : over * width;
    return svg("g", { class: "spot" },
      over === undefined ? svg("path", { d: `M0 ${y}h${width}` }) : svg("circle", { cx: x, cy: y, r: 3 }),
      svgText(x + 8 + tag * 14, y + 4, "tag", letterOf(tag)));
  });
  return {
    part, right: width, width: Math.max(width, head.width), height: head.height + height + 18, at: null,
    draw: (x, y) => svg("g", { transform: `translate(${x} ${y})` }, head.nodes,
      svg("rect", { x: 0, y: head.height, width, height, class: "whole" }),
      marks, svgText(width / 2, head.height + height + 14, "small middle", caption)),
  };
}

/** Name, dtype and shape, and the groups of axes, above a tensor.
 * @param {Drawn} part */
function headOf(part) {
  const groups = Map.groupBy(part.axes.keys(), (axis) => part.axes[axis].join("\n"));
  const lines = [...groups.values()].map((axes) => {
    const [label, colour] = part.axes[axes[0]];
    return { colour, text: `${label}: ${axes.length > 1 ? "axes" : "axis"} ${axes.join(", ")}` };
  });
  const nodes = [
    svgText(0, 12, "name", part.name), svgText(0, 27, "small", part.head),
    lines.map(({ colour, text }, line) => svg("g", { class: `axis colour-${colour}` },
      svg("path", { d: `M0 ${HEADING + 5 + line * LINE}h16` }), svgText(21, HEADING + 9 + line * LINE, "small", text))),
  ];
  const longest = Math.max(0, ...lines.map(({ text }) => text.length * 6 + 21));
  const width = Math.max(part.name.length * LETTER, part.head.length * 6.2, longest);
  return { nodes, width, height: HEADING + lines.length * LINE + 4 };
}
