"""Size and speed of index.html for many results, in headless Chromium; see README.md, Tests.

``python -m benchmarks.page [RESULTS]`` repeats the targets of a results file as if they were further versions and modes, until
there are 100,000 results of about 36 targets, creates the page and prints measurements and goals. It needs Debian's chromium and
the Python package playwright.
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
from conformance.results.records import MappingRecord, ResultRecord, TargetRecord
from tests.reports.browser import AVAILABLE, MISSING, Page, chromium

RESULT_COUNT, TARGET_COUNT = 100_000, 36
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
    """As many results, of 36 targets: further versions and modes of the targets, with some results of other APIs."""
    generator = random.Random(0)  # noqa: S311 - not security-relevant
    fraction = count * len(results.targets) / (TARGET_COUNT * len(results.results))
    cases = dict.fromkeys(result.case for result in results.results)
    chosen = {case for case in cases if generator.random() < fraction}
    by_case: dict[str, list[ResultRecord]] = {}
    for result in results.results:
        if result.case in chosen:
            by_case.setdefault(result.case, []).append(result)
    records: list[ResultRecord] = []
    targets: list[TargetRecord] = []
    mappings: list[MappingRecord] = []
    while len(records) < count:
        original = results.targets[len(targets) % len(results.targets)]
        number = len(targets) // len(results.targets)
        target = _further(original, number)
        targets.append(target)
        mappings += [
            replace(mapping, target=target.id) for mapping in results.mappings if mapping.target == original.id
        ]
        for result in (result for result in results.results if result.target == original.id and result.case in chosen):
            changed = number > 0 and generator.random() < CHANGED_FRACTION
            source = generator.choice(by_case[result.case]) if changed else result
            records.append(replace(source, target=target.id, api=result.api))
    return replace(results, targets=targets, mappings=mappings, results=records[:count])


def _further(target: TargetRecord, number: int) -> TargetRecord:
    """The target itself, then by turns one more version and one more mode of it."""
    if number == 0:
        return target
    if number % 2:
        return replace(target, id=target.id.replace("@", f".post{number}@"), version=f"{target.version}.post{number}")
    return replace(target, id=target.id.replace("@", f"[mode-{number}]@"), mode=f"mode-{number}")


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
