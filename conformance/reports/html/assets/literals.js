// Python's literals as texts on one line: laid out for reading, and taken apart for drawing.

const WIDTH = 76; // columns that a line may take before it is broken into rows

/** Nested lists of the elements' own texts, so that no number changes, and what follows them; null where it is no list. */
function listOf(text) {
  if (!text.startsWith("[")) return null;
  const stack = [[]];
  let at = 0;
  for (const [part] of text.matchAll(/[[\]]|[^[\],]+|,/g)) {
    at += part.length;
    if (part === "[") stack.push([]);
    else if (part === "]") {
      const closed = stack.pop();
      stack.at(-1).push(closed);
      if (stack.length === 1) return { list: closed, rest: text.slice(at) };
    } else if (part !== "," && part.trim()) stack.at(-1).push(part.trim());
  }
  return null;
}

/** An argument such as `int32 [[4], [3]]`: its dtype, if it has one, its nested lists, and the words after them. */
function argumentOf(text) {
  const [, dtype, lists] = /^(?:(\w+) )?(\[.*)$/s.exec(text) ?? [];
  const found = lists && listOf(lists);
  return found ? { dtype: dtype ?? null, values: found.list, rest: found.rest.replace(/^, /, "") } : null;
}

/** An array such as `float32 (2, 2)` above its elements; `values` is one text where the rank is 0. */
function arrayOf(text) {
  const [, dtype, lengths, values] = /^(\w+) \(([\d, ]*)\)\n([^\n]*)/.exec(text) ?? [];
  if (dtype === undefined) return null;
  const shape = lengths.split(",").filter((part) => part.trim()).map(Number);
  if (shape.length === 0) return { dtype, shape, values };
  const found = listOf(values);
  return found && { dtype, shape, values: found.list };
}

/** Nested lists on one line where they fit, else a row a line with its columns aligned. */
function laidOut(list, indent) {
  const line = flat(list);
  const isNested = Array.isArray(list) && list.some(Array.isArray);
  if (!isNested || indent + line.length <= WIDTH) return line;
  const rows = aligned(list).map((row) => laidOut(row, indent + 1));
  return `[${rows.join(`,\n${" ".repeat(indent + 1)}`)}]`;
}

function flat(list) {
  return Array.isArray(list) ? `[${list.map(flat).join(", ")}]` : list;
}

/** The rows of a matrix with their elements padded to the widest; anything else as it is. */
function aligned(rows) {
  if (rows.some((row) => !Array.isArray(row) || row.some(Array.isArray))) return rows;
  const width = Math.max(0, ...rows.flat().map((text) => text.length));
  return rows.map((row) => row.map((text) => text.padStart(width)));
}

/** A call as somebody writes it, an argument a line. */
function callText(operation, call) {
  const width = Math.max(0, ...Object.keys(call).map((name) => name.length));
  const lines = Object.entries(call).map(([name, text]) => `  ${name.padEnd(width)} = ${argumentText(text, width + 5)}`);
  return `${operation}(\n${lines.join("\n")}\n)`;
}

function argumentText(text, indent) {
  const found = argumentOf(text);
  if (!found) return text;
  const head = found.dtype ? `${found.dtype} ` : "";
  return `${head}${laidOut(found.values, indent + head.length)}${found.rest && `, ${found.rest}`}`;
}

/** An outcome or expectation with its arrays laid out. */
function outcomeText(text) {
  return text.split("\n").map((line) => (line.startsWith("[[") && listOf(line) ? laidOut(listOf(line).list, 0) : line)).join("\n");
}
