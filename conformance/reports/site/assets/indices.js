// Converts between indices of an array and element numbers in row-major order.

/** @param {number} number @param {number[]} shape */
export function indicesOf(number, shape) {
  const indices = [];
  let rest = number;
  for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
    indices.unshift(rest % shape[axis]);
    rest = Math.floor(rest / shape[axis]);
  }
  return indices;
}

/** @param {number[]} indices @param {number[]} shape */
export function numberOf(indices, shape) {
  return indices.reduce((number, index, axis) => number * shape[axis] + index, 0);
}

/** The letter of what belongs together: a to z, then a1 to z1 and so on. Digits would look like elements.
 * @param {number} move */
export function letterOf(move) {
  const round = Math.floor(move / 26);
  return String.fromCharCode(97 + (move % 26)) + (round > 0 ? round : "");
}

/** @param {number[]} index */
export function indexText(index) {
  return `[${index.join(", ")}]`;
}
