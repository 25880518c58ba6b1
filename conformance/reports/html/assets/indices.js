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

/** @param {number[]} index */
export function indexText(index) {
  return `[${index.join(", ")}]`;
}
