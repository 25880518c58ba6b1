// The results, unpacked once, when the first cell is opened.

let unpacked = null;

/** The payload with its results by case and by cell; the same promise each time. */
function data() {
  unpacked ??= unpack(document.getElementById("data").textContent.trim()).then(indexed);
  return unpacked;
}

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function indexed(all) {
  const target = new Map(all.targets.map((one) => [one.id, one]));
  const mapping = new Map(all.mappings.map((one) => [key(one.target, one.api, one.operation), one]));
  const byCase = grouped(all.results, (one) => one.case);
  const byCell = grouped(all.results, (one) => key(one.clause, one.target, one.api));
  return { ...all, target, mapping, byCase, byCell };
}

function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const found = groups.get(keyOf(item));
    if (found) found.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

function key(...parts) {
  return parts.join("\n");
}
