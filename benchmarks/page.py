"""Size and speed of index.html for many results, in headless Chromium; see README.md, Tests.

``python -m benchmarks.page [RESULTS]`` repeats the targets of a results file as if they were further versions, until there are
100,000 results, creates the page and prints measurements and goals. It needs Debian's chromium and the Python package
playwright.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from conformance.reports.html import index_html
from conformance.results.file import Results, read_results
from conformance.results.records import ResultRecord, TargetRecord
from tests.reports.browser import AVAILABLE, MISSING, Page, chromium

RESULT_COUNT = 100_000
CHANGED_FRACTION = 0.03
"""Fraction of results of a further version that are replaced by another API's result for the same case."""
MAX_BYTES, MAX_LOAD_SECONDS, MAX_FILTER_SECONDS = 3_000_000, 1.5, 0.1

FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"
LOAD = f"(async () => {{ const now = await {FRAMES}; return now / 1000; }})()"
FILTERED = (
    """(async () => {
  const before = performance.now();
  %s;
  const after = await """
    + FRAMES
    + """;
  return (after - before) / 1000;
})()"""
)
TYPE = "query.value = %r, query.dispatchEvent(new Event('input', { bubbles: true }))"
TICK = "document.querySelector('#filters input[value=%s]').click()"
FILTERS = [TYPE % "s", TYPE % "shape", TYPE % "", TICK % "portability", TICK % "conforms", "reset.click()"]


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("results", nargs="?", type=Path, default=Path(__file__).parents[1] / "reports/results.jsonl.gz")
    parser.add_argument("--count", type=int, default=RESULT_COUNT, help="number of results on the page")
    options = parser.parse_args()
    if not AVAILABLE:
        sys.exit(MISSING)
    results = multiplied(read_results(options.results), options.count)
    started = time.perf_counter()
    text = index_html(results)
    seconds = time.perf_counter() - started
    print(f"{len(results.results)} results, {len(results.cases)} cases, {len(results.targets)} targets")
    print(
        f"created in {seconds:.1f} s, peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB"
    )
    return _report(len(text.encode()), *_measure(text))


def multiplied(results: Results, count: int) -> Results:
    """Repeat the results for further versions of the targets, some replaced by those of other APIs."""
    generator = random.Random(0)  # noqa: S311 - not security-relevant
    by_case: dict[str, list[ResultRecord]] = {}
    for result in results.results:
        by_case.setdefault(result.case, []).append(result)
    records, targets, mappings = list(results.results), list(results.targets), list(results.mappings)
    while len(records) < count:
        further = len(targets) // len(results.targets)
        names = {target.id: target.id.replace("@", f".post{further}@") for target in results.targets}
        targets += [_version(target, names[target.id], further) for target in results.targets]
        mappings += [replace(mapping, target=names[mapping.target]) for mapping in results.mappings]
        for result in results.results[: count - len(records)]:
            changed = generator.random() < CHANGED_FRACTION
            source = generator.choice(by_case[result.case]) if changed else result
            records.append(replace(source, target=names[result.target], api=result.api))
    return replace(results, targets=targets, mappings=mappings, results=records)


def _version(target: TargetRecord, name: str, further: int) -> TargetRecord:
    return replace(target, id=name, version=f"{target.version}.post{further}")


def _measure(text: str) -> tuple[float, float]:
    """Seconds until the overview is painted, and those of the slowest filter."""
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        path = Path(folder) / "index.html"
        path.write_text(text, encoding="utf-8")
        page = browser.open(path.as_uri())
        loaded = page.evaluate(LOAD)
        return loaded, max(_filter(page, action) for action in FILTERS)


def _filter(page: Page, action: str) -> float:
    return float(page.evaluate(FILTERED % action))


def _report(size: int, loaded: float, filtered: float) -> int:
    rows = [
        ("size of the file", size / 1e6, MAX_BYTES / 1e6, "MB"),
        ("overview loaded after", loaded, MAX_LOAD_SECONDS, "s"),
        ("slowest filter", filtered, MAX_FILTER_SECONDS, "s"),
    ]
    for name, value, goal, unit in rows:
        print(f"{name:<22} {value:8.3f} {unit:<2}  goal {goal:g} {unit}  {'met' if value <= goal else 'MISSED'}")
    return int(any(value > goal for _, value, goal, _ in rows))


if __name__ == "__main__":
    sys.exit(main())
