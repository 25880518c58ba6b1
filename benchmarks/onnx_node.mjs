// Run exported ONNX models in ONNX Runtime for Node.js, without Python:
//
//     conformance export onnx DIR
//     npm install onnxruntime-node
//     node benchmarks/onnx_node.mjs DIR [OUTCOMES.json]
//
// It prints the cases that did not pass and the counts. The exit status is 1 if there are any.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

// The package is looked up in the current folder, where npm installs it.
const { InferenceSession, Tensor } = createRequire(resolve("package.json"))("onnxruntime-node");

// By the number of TensorProto.DataType: the name in ONNX Runtime and the type of an array of its elements.
const TYPES = {
  1: ["float32", Float32Array], 2: ["uint8", Uint8Array], 3: ["int8", Int8Array], 4: ["uint16", Uint16Array],
  5: ["int16", Int16Array], 6: ["int32", Int32Array], 7: ["int64", BigInt64Array], 9: ["bool", Uint8Array],
  10: ["float16", Uint16Array], 11: ["float64", Float64Array], 12: ["uint32", Uint32Array], 13: ["uint64", BigUint64Array],
};

/** A varint, and the position after it. */
function varint(bytes, at) {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = bytes[at++];
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return [Number(value), at];
  }
}

/** A TensorProto, of which the export uses the fields dims, data_type, name and raw_data. */
function tensor(file) {
  const bytes = readFileSync(file), dims = [];
  let type = 0, raw = new Uint8Array(), at = 0;
  while (at < bytes.length) {
    let key, value;
    [key, at] = varint(bytes, at);
    [value, at] = varint(bytes, at);
    if (key === (1 << 3 | 0)) dims.push(value);
    else if (key === (2 << 3 | 0)) type = value;
    else if ((key & 7) === 2) {
      if (key >> 3 === 1) for (let end = at + value, dim; at < end; dims.push(dim)) [dim, at] = varint(bytes, at);
      else {
        if (key >> 3 === 9) raw = bytes.subarray(at, at + value);
        at += value;
      }
    } else throw new Error(`${file}: field ${key >> 3} is not one that the export writes`);
  }
  if (!(type in TYPES)) throw new Unsupported(`no tensor of ONNX data type ${type} in onnxruntime-node`);
  const [name, Elements] = TYPES[type];
  return new Tensor(name, new Elements(Uint8Array.from(raw).buffer), dims);
}

class Unsupported extends Error {}

async function run(folder) {
  const data = join(folder, "test_data_set_0");
  const inputs = readdirSync(data).filter((name) => name.startsWith("input_")).sort().map((name) => tensor(join(data, name)));
  const session = await InferenceSession.create(join(folder, "model.onnx"), { logSeverityLevel: 4 });
  const results = await session.run(Object.fromEntries(session.inputNames.map((name, i) => [name, inputs[i]])));
  return results[session.outputNames[0]];
}

/** The error of loading or running; null if it returns. */
async function error(folder) {
  try {
    await run(folder);
    return null;
  } catch (problem) {
    if (problem instanceof Unsupported) throw problem; // the files could not be read, which is no error of the runtime
    return problem;
  }
}

/** How a result differs from the expected one; null if it does not. */
function difference(actual, expected, atol) {
  if (actual.type !== expected.type) return `returned ${actual.type} instead of ${expected.type}`;
  if (String(actual.dims) !== String(expected.dims)) return `returned shape [${actual.dims}] instead of [${expected.dims}]`;
  const [first, second] = [numbers(actual), numbers(expected)];
  const at = first.findIndex((value, i) => !(value === second[i] || Object.is(value, second[i]) || Math.abs(Number(value) - Number(second[i])) <= atol));
  return at < 0 ? null : `element ${at} is ${first[at]} instead of ${second[at]}`;
}

function numbers(tensor) {
  return tensor.type === "float16" ? Array.from(tensor.data, half) : Array.from(tensor.data);
}

function half(bits) {
  if (typeof bits !== "number" || !Number.isInteger(bits)) return bits;
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

async function outcome(folder, test) {
  try {
    if (test.expectation.raises) {
      if (test.control && await error(join(folder, test.control))) return "blocked: the control fails too";
      return await error(join(folder, test.folder)) ? "pass" : "fail: returned, but must fail";
    }
    const expected = tensor(join(folder, test.folder, "test_data_set_0", "output_0.pb"));
    const problem = difference(await run(join(folder, test.folder)), expected, test.expectation.returns.atol);
    return problem ? `fail: ${problem}` : "pass";
  } catch (problem) {
    return `${problem instanceof Unsupported ? "unsupported" : "fail"}: ${problem.message}`;
  }
}

const [folder, file] = process.argv.slice(2), outcomes = {}, counts = {};
for (const index of ["index.json", "raises.json"]) {
  for (const test of JSON.parse(readFileSync(join(folder, index), "utf8")).cases) {
    const text = outcomes[test.folder] = await outcome(folder, test), word = text.split(":")[0];
    counts[word] = (counts[word] ?? 0) + 1;
    if (text !== "pass") console.log(`${test.folder}: ${text}`);
  }
}
console.log(counts);
if (file) writeFileSync(file, JSON.stringify(outcomes, null, 1));
process.exit(counts.pass === Object.keys(outcomes).length ? 0 : 1);
