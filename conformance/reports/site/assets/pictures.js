// The diagram of a call: indices, targets, moves, and the expected and actual result.

import { el, svg } from "./dom.js";
import { placesOf } from "./grid.js";
import { indexText, indicesOf, letterOf, numberOf } from "./indices.js";
import { blockBox, cellsBox, cut, LINE, svgText } from "./tensors.js";

/** @import { Result } from "./results.js" */
/** @import { Case, Description, Move, Part, Picture } from "./page.d.ts" */
/** @import { Drawn, Marks, TensorBox } from "./tensors.js" */
/** @typedef {Drawn & Part & { texts: string[] | null }} DrawnPart a tensor of the call with its elements, if they are drawn */
/** @typedef {{ box: TensorBox, x: number, y: number }} Placed */

const MOST_ARROWS = 8;
const GAP = 34; // between tensors, where the arrows are
const ROW = 30; // between rows of tensors
let pictures = 0;

/** The diagram of a case and one of its results; null if there is nothing to draw.
 * @param {Case} kase @param {Result} result */
export function drawCase(kase, result) {
  const { picture } = kase;
  if (!picture) return null;
  const parts = picture.parts.map((part) => (
    { ...part, texts: part.cells, upright: isUpright(part.shape) }));
  const marks = marksOf(picture);
  const call = parts.map((part) => (part.texts
    ? cellsBox(part, part.texts, part.role === "other" ? {} : marks[part.role])
    : blockBox(part, sizeText(part.shape), part.spots)));
  const outcome = outcomeBoxes(kase, result, picture, marks);
  const width = pictureWidth();
  const together = flow([...call, ...outcome], width);
  const rows = together.length === 1 ? together : [...flow(call, width), ...flow(outcome, width)];
  return el("figure", { class: "picture" },
    el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Diagram of the call" },
      drawing(rows, kase, result, picture, parts)),
    el("figcaption", {}, captionOf(picture, kase, result)));
}

/** The width that is available in the panel. */
function pictureWidth() {
  const panel = innerWidth >= 1200 ? Math.min(736, innerWidth / 2) : Math.min(736, innerWidth);
  return Math.max(260, panel - 52);
}

/** For each role, the moves of each cell; a slice has their numbers only at its first cell.
 * @param {Picture} picture */
function marksOf(picture) {
  /** @param {number} at */
  const role = (at) => {
    const tags = /** @type {Map<number, number[]>} */ (new Map());
    const tints = /** @type {Map<number, number>} */ (new Map());
    const outside = /** @type {Set<number>} */ (new Set());
    picture.moves.forEach((cells, move) => {
      cells[at]?.forEach((number, position) => {
        if (position === 0) tags.set(number, [...(tags.get(number) ?? []), move]);
        tints.set(number, move);
        if (at === 0 && cells[1]?.length === 0) outside.add(number);
      });
    });
    return { tags, tints, outside };
  };
  return { index: role(0), target: role(1), moved: role(2) };
}

/** @param {number[]} shape */
function sizeText(shape) {
  const size = shape.reduce((product, length) => product * length, 1);
  return size === 0 ? "no elements" : `${size} elements`;
}

/** The expected and the actual result; of a relation, its right and left side.
 * @param {Case} kase @param {Result} result @param {Picture} picture @param {ReturnType<typeof marksOf>} marks */
function outcomeBoxes(kase, result, picture, marks) {
  const { right, actual, differs } = result;
  const expected = right ?? kase.expected;
  const { shape } = actual;
  const isSame = shape !== null && expected.shape?.join() === shape.join();
  const differing = new Set(isSame ? placesOf(differs).map((index) => numberOf(index, shape)) : []);
  const { tags, tints } = picture.out ? marks.moved : marks.target;
  const landed = { tags, tints, differs: differing };
  if (isAsExpected(expected, actual)) return [outcomeBox(right ? "both sides" : "expected and actual", actual, picture, landed)];
  return [
    outcomeBox(right ? "right side" : "expected", expected, picture, landed),
    outcomeBox(right ? "left side" : "actual", actual, picture, landed),
  ];
}

/** Whether an outcome is described in the same words and elements as what was expected.
 * @param {Description} expected @param {Description} actual */
export function isAsExpected(expected, actual) {
  return expected.head === actual.head && expected.body === actual.body && expected.cells === actual.cells &&
    expected.notes.join("\n") === actual.notes.join("\n");
}

/** @param {string} name @param {Description} description @param {Picture} picture @param {Marks} marks */
function outcomeBox(name, { head, shape, cells }, picture, marks) {
  if (!shape) return messageBox(name, head);
  const isResult = picture.result?.shape.join() === shape.join();
  const axes = isResult ? picture.result?.axes ?? [] : [];
  const part = { name, head, shape, axes, upright: isUpright(shape) };
  return cells ? cellsBox(part, cells, isResult ? marks : { differs: marks.differs }) : blockBox(part, sizeText(shape));
}

/** Whether a vector is drawn vertically, so that each of its elements has an arrow of its own.
 * @param {number[]} shape */
function isUpright(shape) {
  return shape.length === 1 && shape[0] <= 16;
}

/** A box for an outcome that is not an array, such as an error.
 * @param {string} name @param {string} text @returns {TensorBox} */
function messageBox(name, text) {
  const lines = wrapped(text, 36).slice(0, 4);
  const width = Math.max(120, ...lines.map((line) => line.length * 6.2 + 20));
  const height = 20 + lines.length * LINE;
  return {
    part: { name, head: text, shape: [], axes: [] }, width, height: height + 20, at: null, right: width,
    draw: (x, y) => svg("g", { transform: `translate(${x} ${y})` }, svgText(0, 12, "name", name),
      svg("rect", { x: 0, y: 20, width, height, rx: 4, class: "message-box" }),
      lines.map((line, at) => svgText(10, 38 + at * LINE, "small", line))),
  };
}

/** @param {string} text @param {number} most */
function wrapped(text, most) {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length > most && lines.at(-1)) lines.push(cut(word, most));
    else lines[lines.length - 1] = cut(longer, most);
  }
  return lines;
}

/** Boxes in rows that are no wider than a width.
 * @param {TensorBox[]} boxes @param {number} width */
function flow(boxes, width) {
  const rows = /** @type {TensorBox[][]} */ ([]);
  for (const box of boxes) {
    const row = rows.at(-1);
    const used = row?.reduce((sum, one) => sum + one.width + GAP, 0) ?? 0;
    if (row && used + box.width <= width) row.push(box);
    else rows.push([box]);
  }
  return rows;
}

/** @param {TensorBox[][]} rows @param {Case} kase @param {Result} result @param {Picture} picture
 * @param {DrawnPart[]} parts */
function drawing(rows, kase, result, picture, parts) {
  pictures += 1;
  const id = `picture-${pictures}`;
  const placed = /** @type {Placed[]} */ ([]);
  let y = 4;
  for (const row of rows) {
    let x = 4;
    for (const box of row) {
      placed.push({ box, x, y });
      x += box.width + GAP;
    }
    y += Math.max(...row.map((box) => box.height)) + ROW;
  }
  const width = Math.max(...placed.map(({ box, x }) => x + box.width)) + 6;
  return svg("svg", { role: "img", "aria-labelledby": `${id}-title ${id}-desc`, width, height: y - ROW + 6,
    viewBox: `0 0 ${width} ${y - ROW + 6}` },
    svg("title", { id: `${id}-title` }, `Diagram of ${result.name}`),
    svg("desc", { id: `${id}-desc` }, descriptionOf(picture, kase, result, parts)),
    arrowHead(id), arrows(id, placed, picture), placed.map(({ box, x, y: top }) => box.draw(x, top)));
}

/** @param {string} id */
function arrowHead(id) {
  return svg("defs", {}, svg("marker", { id: `${id}-head`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7,
    markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z", class: "head" })));
}

/** Arrows from the row of each index to the row that it selects, and from there to where the elements go, or from where
 * they come. They stay between the tensors, where no label is; the small letters say which cell of a row it is.
 * @param {string} id @param {Placed[]} placed @param {Picture} picture */
function arrows(id, placed, picture) {
  /** @param {string} name */
  const place = (name) => placed.findIndex(({ box }) => (box.part.role ?? box.part.name) === name);
  const [index, target, moved] = ["index", "target", "moved"].map(place);
  const result = Math.max(place("expected"), place("expected and actual"));
  const inside = picture.moves.filter(([, cells]) => cells?.length !== 0);
  return [
    arrowsBetween(id, placed, index, target, inside.map(([cells, to]) => [cells, to])),
    picture.out ? arrowsBetween(id, placed, target, result, inside.map(([, from, to]) => [from, to]))
      : arrowsBetween(id, placed, moved, target, inside.map(([, to, from]) => [from, to])),
  ];
}

/** Arrows between two tensors that are drawn side by side; null if they are not, or if the arrows were too many.
 * @param {string} id @param {Placed[]} placed @param {number} from @param {number} to
 * @param {[from: number[] | null, to: number[] | null][]} pairs */
function arrowsBetween(id, placed, from, to, pairs) {
  if (from < 0 || to < 0 || Math.abs(from - to) !== 1 || placed[from].y !== placed[to].y) return null;
  const curves = pairs.map(([cells, others]) => {
    const start = edge(placed[from], cells, from < to ? "right" : "left");
    const end = edge(placed[to], others, from < to ? "left" : "right");
    return start && end && curve(start, end);
  });
  const different = [...new Set(curves)];
  if (different.includes(null) || different.length > MOST_ARROWS) return null;
  return different.map((d) => svg("path", { class: "arrow", "marker-end": `url(#${id}-head)`, d }));
}

/** @typedef {{ x: number, y: number, out: number }} Edge where a row ends, and where the box of its tensor does */

/** Straight through the boxes, curved between them.
 * @param {Edge} from @param {Edge} to */
function curve(from, to) {
  const middle = (from.out + to.out) / 2;
  return `M${from.x} ${from.y}H${from.out}C${middle} ${from.y} ${middle} ${to.y} ${to.out} ${to.y}H${to.x}`;
}

/** The middle of cells at one side of their tensor: right of its cells, or left of its brackets; null for a column of several rows.
 * @param {Placed} item @param {number[] | null} numbers @param {"left" | "right"} side @returns {Edge | null} */
function edge({ box, x, y }, numbers, side) {
  if (!box.at || !numbers?.length || Math.max(...numbers) - Math.min(...numbers) >= numbers.length) return null;
  const cells = numbers.map(box.at);
  const [top, bottom] = [Math.min(...cells.map((cell) => cell.y)), Math.max(...cells.map((cell) => cell.y + cell.height))];
  const middle = (top + bottom) / 2;
  return side === "left" ? { x: x - 3, y: y + middle, out: x - 8 }
    : { x: x + box.right + 3, y: y + middle, out: x + Math.max(box.right + 8, box.width) };
}

/** A description of the diagram.
 * @param {Picture} picture @param {Case} kase @param {Result} result @param {DrawnPart[]} parts */
function descriptionOf(picture, kase, result, parts) {
  /** @param {Part} part */
  const groups = (part) => part.axes.length ? `, axes ${part.axes.map(([label]) => label).join(", ")}` : "";
  /** @param {Description} description @param {number} most lines */
  const oneLine = ({ head, body, notes }, most) =>
    [head, ...(body === null ? [] : [body.replace(/\s+/g, " ")]), ...notes].slice(0, most).join(" ");
  const outside = picture.moves.filter(([, target]) => target?.length === 0).length;
  return [...parts.map((part) => `${part.name}: ${part.head}${groups(part)}.`),
    ...picture.moves.slice(0, 16).map((move, number) => moveText(move, number, parts)),
    picture.moves.length > 16 && `And ${picture.moves.length - 16} more.`, outside && `${outside} out of bounds.`,
    `Expected: ${oneLine(kase.expected, Infinity)}.`, `Actual: ${oneLine(result.actual, 2)}.`,
    result.differs && `${result.differs.count} of ${result.differs.total} elements differ.`].filter(Boolean).join(" ");
}

/** @param {Move} move @param {number} number @param {DrawnPart[]} parts */
function moveText([index, target, moved], number, parts) {
  const by = Object.fromEntries(parts.map((part) => [part.role, part]));
  /** @param {Part} part @param {number[]} cells */
  const at = (part, [first, ...more]) =>
    `${part.name}${indexText(indicesOf(first, part.shape))}${more.length > 0 ? " and on" : ""}`;
  const vector = index.map((cell) => by.index.texts?.[cell]).join(", ");
  const goes = target === null ? "" : target.length ? ` points to ${at(by.target, target)}` : " is out of bounds";
  const brings = by.moved && moved?.length ? `, where ${at(by.moved, moved)} goes` : "";
  return `${letterOf(number)}: [${vector}]${goes}${brings}.`;
}

/** @param {Picture} picture @param {Case} kase @param {Result} result */
function captionOf(picture, kase, result) {
  const drawn = new Set(picture.parts.map((part) => part.name));
  const others = Object.entries(kase.call).filter(([name]) => !drawn.has(name)).map(([name, text]) => `${name} = ${text}`);
  const isOutside = picture.moves.some(([, target]) => target?.length === 0);
  const isBlock = picture.parts.some((part) => part.role === "target" && part.cells === null);
  return [
    picture.moves.length > 0 && "What has the same small letter belongs together. ",
    !picture.fits && "The arguments are incompatible, so there are no arrows. ",
    isOutside && "Dashed cells are out of bounds. ",
    isBlock && picture.moves.length > 0 && "In a block, dots and lines mark the positions. ",
    result.differs && "Cells with a thick edge and ≠ differ. ",
    others.length > 0 && ["Other arguments: ", el("code", {}, others.join(", "))],
  ];
}
