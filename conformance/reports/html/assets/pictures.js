// The drawing of a call: what points, where to, what moves, and what came out beside what should have.

const MOST_ARROWS = 8;
const MOST_CELLS = 64;
const GAP = 34; // between tensors, where the arrows are
const ROW = 30; // between rows of tensors
let pictures = 0;

/** The drawing of a case and of one result of it; null where there is nothing to draw. */
function drawCase(kase, result) {
  const picture = kase?.picture;
  if (!picture) return null;
  const parts = picture.parts.map((part) => partOf(part, kase, picture));
  const marks = marksOf(picture);
  const call = parts.map((part) => boxOf(part, marks, picture, parts));
  const outcome = outcomeBoxes(kase, result, picture, marks);
  const room = pictureWidth();
  const together = flow([...call, ...outcome], room);
  const rows = together.length === 1 ? together : [...flow(call, room), ...flow(outcome, room)];
  return el("figure", { class: "picture" },
    el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Drawing of the call" },
      drawing(rows, kase, result, picture, parts)),
    el("figcaption", {}, captionOf(picture, kase, result)));
}

/** What there is room for in the panel. */
function pictureWidth() {
  const panel = innerWidth >= 1200 ? Math.min(736, innerWidth / 2) : Math.min(736, innerWidth);
  return Math.max(260, panel - 52);
}

/** A tensor with its cells as texts; null where it is drawn as a block. */
function partOf(part, kase, picture) {
  const written = part.cells === true ? argumentOf(kase.call[part.name])?.values.flat(Infinity) ?? null : part.cells;
  return { ...part, texts: written, upright: isUpright(picture, part.shape) };
}

/** For each tensor by its role: the moves that its cells belong to; a slice has their numbers at its first cell only. */
function marksOf(picture) {
  const role = (at) => {
    const [tags, tints, outside] = [new Map(), new Map(), new Set()];
    picture.moves.forEach((cells, move) => cells[at]?.forEach((number, place) => {
      if (place === 0) tags.set(number, [...(tags.get(number) ?? []), move]);
      tints.set(number, move);
      if (at === 0 && cells[1]?.length === 0) outside.add(number);
    }));
    return { tags, tints, outside };
  };
  return { index: role(0), target: role(1), moved: role(2) };
}

function boxOf(part, marks, picture, parts) {
  if (part.texts) return cellsBox(part, part.texts, marks[part.role]);
  return blockBox(part, wholeOf(part.shape), part.role === "target" ? spotsOf(picture, part, parts[0]) : []);
}

function wholeOf(shape) {
  const size = shape.reduce((product, length) => product * length, 1);
  return size === 0 ? "no elements" : `${size} elements`;
}

/** Where index vectors point to in a tensor that is drawn as a block, in parts of its first two axes. */
function spotsOf(picture, part, index) {
  if (!picture.vectors || !index.texts || picture.moves.length > MOST_ARROWS) return [];
  return picture.moves.flatMap(([cells], tag) => {
    const vector = cells.map((number) => Number(index.texts[number])).slice(0, 2);
    const isInside = vector.every((one, axis) => one >= 0 && one < part.shape[axis]);
    return isInside ? [{ tag, at: vector.map((one, axis) => (one + .5) / part.shape[axis]) }] : [];
  });
}

/** What was expected, and what was got; of a relation its right side and its left. */
function outcomeBoxes(kase, result, picture, marks) {
  const expects = result?.right ?? kase.expects;
  const [expected, got] = [arrayOf(expects), result && arrayOf(result.got)];
  const isSame = expected && got && expected.shape.join() === got.shape.join();
  const rows = (isSame && result.differs?.rows) || [];
  const differs = new Set(rows.map(([at]) => numberOf(at.match(/\d+/g)?.map(Number) ?? [], got.shape)));
  const landed = { ...(picture.out ? marks.moved : marks.target), outside: null, differs };
  const isRelation = Boolean(result?.right);
  return [
    outcomeBox(isRelation ? "right side" : "expected", expects, expected, picture, landed),
    result && outcomeBox(isRelation ? "left side" : "got", result.got, got, picture, landed),
  ].filter(Boolean);
}

function outcomeBox(name, text, array, picture, marks) {
  const [head, lengths] = /^\w+ \(([\d, ]*)\)/.exec(text) ?? [];
  if (!head) return saidBox(name, text);
  const shape = lengths.split(",").filter((part) => part.trim()).map(Number);
  const isResult = picture.result?.shape.join() === shape.join();
  const part = { name, head, shape, axes: isResult ? picture.result.axes : [], upright: isUpright(picture, shape) };
  const texts = array ? [array.values].flat(Infinity) : [];
  if (texts.length === 0 || texts.length > MOST_CELLS || shape.length > 4) return blockBox(part, wholeOf(shape));
  return cellsBox(part, texts, isResult ? marks : { differs: marks.differs });
}

/** A vector beside vectors of indices stands, so that the arrows between them are short. */
function isUpright(picture, shape) {
  return picture.vectors && shape.length === 1 && shape[0] <= 16;
}

/** An error, a death or anything else that is no array. */
function saidBox(name, text) {
  const lines = wrapped(text.split("\n")[0], 36).slice(0, 4);
  const width = Math.max(120, ...lines.map((line) => line.length * 6.2 + 20));
  const height = 20 + lines.length * LINE;
  const draw = (x, y) => svg("g", { transform: `translate(${x} ${y})` }, svgText(0, 12, "name", name),
    svg("rect", { x: 0, y: 20, width, height, rx: 4, class: "said-box" }),
    lines.map((line, at) => svgText(10, 38 + at * LINE, "small", line)));
  const part = { name, head: text, shape: [], axes: [] };
  return { part, width, height: height + 20, at: null, left: 0, right: width, draw };
}

function wrapped(text, most) {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length > most && lines.at(-1)) lines.push(cut(word, most));
    else lines[lines.length - 1] = cut(longer, most);
  }
  return lines;
}

/** Boxes in rows no wider than there is room for. */
function flow(boxes, width) {
  const rows = [];
  for (const box of boxes) {
    const row = rows.at(-1);
    const used = row?.reduce((sum, one) => sum + one.width + GAP, 0) ?? 0;
    if (row && used + box.width <= width) row.push(box);
    else rows.push([box]);
  }
  return rows;
}

function drawing(rows, kase, result, picture, parts) {
  const id = `picture-${pictures += 1}`;
  const placed = [];
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
    svg("title", { id: `${id}-title` }, `The call of ${kase.id}, drawn`),
    svg("desc", { id: `${id}-desc` }, descriptionOf(picture, kase, result, parts)),
    arrowHead(id), arrows(id, placed, picture), placed.map(({ box, x, y: top }) => box.draw(x, top)));
}

function arrowHead(id) {
  return svg("defs", {}, svg("marker", { id: `${id}-head`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7,
    markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z", class: "head" })));
}

/** From each vector to its slice, and from each update into it, unless other cells stand between. */
function arrows(id, placed, picture) {
  const by = Object.fromEntries(placed.map((one) => [one.box.part.role ?? one.box.part.name, one]));
  if (!picture.vectors || picture.moves.length > MOST_ARROWS || by.index?.y !== by.target?.y) return null;
  const inside = picture.moves.filter(([, target]) => target?.length !== 0);
  const pointing = inside.map(([index, target]) => [edge(by.index, index, "right"), edge(by.target, target, "left")]);
  const moving = picture.out
    ? inside.map(([, target, moved]) => [edge(by.target, target, "right"), edge(by.expected, moved, "left")])
    : inside.map(([, target, moved]) => [edge(by.moved, moved, "left"), edge(by.target, target, "right")]);
  const isBeside = (picture.out ? by.expected : by.moved)?.y === by.target.y;
  return [pointing, isBeside ? moving : []].map((pairs) => pairs.every(([from, to]) => from && to) &&
    pairs.map(([from, to]) => svg("path", { class: "arrow", "marker-end": `url(#${id}-head)`, d: curve(from, to) })));
}

function curve(from, to) {
  const middle = (from.x + to.x) / 2;
  return `M${from.x} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}`;
}

/** The middle of one side of some cells; null where other cells of the tensor stand between it and the outside. */
function edge(where, numbers, side) {
  if (!where?.box.at || !numbers?.length) return null;
  const cells = numbers.map((number) => where.box.at(number));
  const [left, right] = [Math.min(...cells.map(({ x }) => x)), Math.max(...cells.map(({ x, width }) => x + width))];
  const y = (Math.min(...cells.map((one) => one.y)) + Math.max(...cells.map((one) => one.y + one.height))) / 2;
  const isFree = side === "left" ? left === where.box.left : right === where.box.right;
  return isFree ? { x: where.x + (side === "left" ? left - 3 : right + 3), y: where.y + y } : null;
}

/** What the drawing shows, in words. */
function descriptionOf(picture, kase, result, parts) {
  const groups = (part) => part.axes.length ? `, axes ${part.axes.map(([label]) => label).join(", ")}` : "";
  const said = parts.map((part) => `${part.name}: ${part.head}${groups(part)}.`);
  const outside = picture.moves.filter(([, target]) => target?.length === 0).length;
  return [...said, ...picture.moves.slice(0, 16).map((move, number) => moveText(move, number, picture, parts)),
    picture.moves.length > 16 && `And ${picture.moves.length - 16} more.`, outside && `${outside} point outside.`,
    `Expected: ${kase.expects.split("\n").join(" ")}.`, result && `Got: ${result.got.split("\n").slice(0, 2).join(" ")}.`,
    result?.differs && `${result.differs.said} elements differ.`].filter(Boolean).join(" ");
}

function moveText([index, target, moved], number, picture, parts) {
  const by = Object.fromEntries(parts.map((part) => [part.role, part]));
  const at = (part, [first, ...more]) =>
    `${part.name}[${indicesOf(first, part.shape).join(", ")}]${more.length > 0 ? " and on" : ""}`;
  const vector = index.map((one) => by.index.texts?.[one]).join(", ");
  const goes = target === null ? "" : target.length ? ` points to ${at(by.target, target)}` : " points outside";
  const brings = by.moved && moved?.length ? `, where ${at(by.moved, moved)} goes` : "";
  return `${number}: [${vector}]${goes}${brings}.`;
}

function captionOf(picture, kase, result) {
  const drawn = new Set(picture.parts.map((part) => part.name));
  const others = Object.entries(kase.call).filter(([name]) => !drawn.has(name)).map(([name, text]) => `${name} = ${text}`);
  const outside = picture.moves.filter(([, target]) => target?.length === 0);
  return [
    picture.moves.length > 0 && "The same small number marks what belongs together. ",
    !picture.fits && "The arguments do not fit each other, so nothing says what goes where. ",
    outside.length > 0 && "A dashed cell points outside. ",
    picture.parts.some((part) => part.role === "target" && part.cells === null) && picture.moves.length > 0 &&
      "In a block, dots and lines stand where the vectors point to. ",
    result?.differs && "A cell with a thick edge and the sign ≠ differs. ",
    others.length > 0 && ["Besides: ", el("code", {}, others.join(", "))],
  ];
}
