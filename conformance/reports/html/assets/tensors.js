// Tensors as cells in nested blocks: where every element stands, and what is drawn around it.

const CELL = 28; // height
const LETTER = 7.3; // width of a monospaced character
const BETWEEN = 9; // blocks
const BRACKET = 17;
const HEADING = 36; // name and dtype
const LINE = 15; // of a heading

/** A node of SVG with attributes; texts become text nodes. */
function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

function svgText(x, y, kind, ...texts) {
  return svg("text", { x, y, class: kind }, ...texts);
}

function cut(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** The indices of an element by its number, the last axis counting fastest. */
function indicesOf(number, shape) {
  const found = [];
  for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
    found.unshift(number % shape[axis]);
    number = Math.floor(number / shape[axis]);
  }
  return found;
}

/** The number of an element by its indices. */
function numberOf(indices, shape) {
  return indices.reduce((number, index, axis) => number * shape[axis] + index, 0);
}

/** How a tensor's cells lie: the last two axes are rows and columns of blocks, those before them go down, then across. */
function geometry(part, texts) {
  const { shape, upright } = part;
  const [rows, columns] = shape.length > 1 ? shape.slice(-2) : upright ? [shape[0], 1] : [1, shape[0] ?? 1];
  const outer = shape.slice(0, -2);
  const across = outer.length > 1 ? outer[1] : 1;
  const wide = Math.max(26, Math.max(0, ...texts.map((text) => text.length)) * LETTER + 12);
  const left = (shape.length > 1 || upright ? BRACKET : 0) + (outer.length > 0 ? BRACKET : 0);
  const top = (shape.length > 0 && !upright ? BRACKET : 0) + (outer.length > 1 ? BRACKET : 0);
  const block = { width: columns * wide, height: rows * CELL };
  const at = (number) => {
    const place = indicesOf(number, shape);
    const [row, column] = shape.length > 1 ? place.slice(-2) : upright ? [place[0], 0] : [0, place[0] ?? 0];
    const [down, over] = outer.length > 1 ? place : [outer.length ? place[0] : 0, 0];
    const x = left + over * (block.width + BETWEEN) + column * wide;
    return { x, y: top + down * (block.height + BETWEEN) + row * CELL, width: wide, height: CELL };
  };
  const width = left + across * (block.width + BETWEEN) - BETWEEN;
  const height = top + (outer[0] ?? 1) * (block.height + BETWEEN) - BETWEEN;
  return { left, top, block, at, width, height, rows, columns, upright };
}

/** The brackets at the edges of a tensor, one for each axis, told apart by colour, by line and by name. */
function brackets(part, lie) {
  const last = part.shape.length - 1;
  return part.axes.map(([label, colour], axis) => {
    const said = `${label} ${part.shape[axis]}`;
    const isRow = axis === last - 1 || (axis === last && lie.upright);
    if (axis === last && !lie.upright) return across(lie.left, lie.top - 5, lie.block.width, said, colour);
    if (isRow) return along(lie.left - 5, lie.top, lie.block.height, said, colour);
    if (axis === 0) return along(lie.left - 5 - BRACKET, lie.top, lie.height - lie.top, said, colour);
    return across(lie.left, lie.top - 5 - BRACKET, lie.width - lie.left, said, colour);
  });
}

function across(x, y, length, said, colour) {
  return svg("g", { class: `axis colour-${colour}` },
    svg("path", { d: `M${x + 1} ${y + 3}v-3h${length - 2}v3` }),
    svgText(x + length / 2, y - 5, "small middle", fitting(said, length)));
}

function along(x, y, length, said, colour) {
  const text = svgText(0, 0, "small middle", fitting(said, length));
  text.setAttribute("transform", `translate(${x - 4} ${y + length / 2}) rotate(-90)`);
  return svg("g", { class: `axis colour-${colour}` }, svg("path", { d: `M${x + 3} ${y + 1}h-3v${length - 2}h3` }), text);
}

/** A group and a length where there is room for both, else the length, which is its last word. */
function fitting(said, room) {
  return said.length * 6.2 <= room + 4 ? said : said.split(" ").at(-1);
}

/** A cell with its text, the numbers of what belongs to it, and a mark where it differs. */
function cell(place, text, { tint, tags = [], differs = false, outside = false } = {}) {
  const { x, y, width, height } = place;
  const kind = differs ? "differs" : outside ? "outside" : tint === undefined ? "" : `hit tint-${tint % 2}`;
  const tagged = tags.length ? cut(tags.join(","), Math.max(2, Math.floor((width - 4) / 5))) : "";
  return svg("g", { class: `cell-of ${kind}` },
    svg("rect", { x, y, width, height }),
    differs && svg("rect", { x: x + 2, y: y + 2, width: width - 4, height: height - 4, class: "ring" }),
    svgText(x + width / 2, y + height - 7, "value middle", text),
    tagged && svgText(x + 3, y + 9, "tag", tagged),
    differs && svgText(x + width - 4, y + 10, "tag end", "≠"));
}

/** A tensor with its elements: its size, where its elements are, and a function that draws it at a place. */
function cellsBox(part, texts, marks = {}) {
  const short = texts.map((text) => cut(text, 11));
  const lie = geometry(part, short);
  const head = headOf(part);
  const draw = (x, y) => svg("g", { transform: `translate(${x} ${y})` }, head.nodes,
    svg("g", { transform: `translate(0 ${head.height})` }, brackets(part, lie),
      short.map((text, number) => cell(lie.at(number), text, markOf(marks, number)))));
  const at = (number) => ({ ...lie.at(number), y: lie.at(number).y + head.height });
  return { part, width: Math.max(lie.width, head.width), height: head.height + lie.height, at, left: lie.left,
    right: lie.width, draw };
}

function markOf(marks, number) {
  return { tint: marks.tints?.get(number), tags: marks.tags?.get(number), differs: marks.differs?.has(number),
    outside: marks.outside?.has(number) };
}

/** A tensor whose elements are too many, or none, as a block with its shape. */
function blockBox(part, why, spots = []) {
  const head = headOf(part);
  const [width, height] = [Math.max(150, why.length * 6.4 + 16), 96];
  const mark = ({ tag, at: [down, over] }) => {
    const y = head.height + down * height;
    const x = over === undefined ? 0 : over * width;
    return svg("g", { class: "spot" },
      over === undefined ? svg("path", { d: `M0 ${y}h${width}` }) : svg("circle", { cx: x, cy: y, r: 3 }),
      svgText(x + 8 + tag * 14, y + 4, "tag", String(tag)));
  };
  const draw = (x, y) => svg("g", { transform: `translate(${x} ${y})` }, head.nodes,
    svg("rect", { x: 0, y: head.height, width, height, class: "whole" }),
    spots.map(mark), svgText(width / 2, head.height + height + 14, "small middle", why));
  return { part, width: Math.max(width, head.width), height: head.height + height + 18, at: null, left: 0, right: width,
    draw };
}

/** Name, dtype and shape, and the groups of axes, above a tensor. */
function headOf(part) {
  const groups = new Map();
  part.axes.forEach(([label, colour], axis) => {
    const name = `${label}\n${colour}`;
    groups.set(name, [...(groups.get(name) ?? []), axis]);
  });
  const lines = [...groups].map(([name, axes]) => {
    const [label, colour] = name.split("\n");
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
