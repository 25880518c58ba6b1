"""Size and speed of index.html for many results, in headless Chromium; see README.md, Tests.

``python -m benchmarks.page [RESULTS]`` takes a results file, multiplies its targets as if they were further versions until it
holds 100,000 results, makes the page and prints its figures beside the goals. It needs Debian's chromium and the Python
package playwright.
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

WANTED = 100_000
OTHERWISE = 0.03
"""Share of results of a further version that are another API's of the same case."""
MOST_BYTES, MOST_SHOWN, MOST_FILTERED = 4_000_000, 1.0, 0.1

FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"
SHOWN = f"(async () => {{ const now = await {FRAMES}; return now / 1000; }})()"
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
    parser.add_argument("results", nargs="?", type=Path, default=Path(__file__).parents[1] / "reports/results.jsonl")
    parser.add_argument("--count", type=int, default=WANTED, help="results that the page shall hold")
    given = parser.parse_args()
    if not AVAILABLE:
        sys.exit(MISSING)
    results = multiplied(read_results(given.results), given.count)
    started = time.perf_counter()
    text = index_html(results)
    took = time.perf_counter() - started
    print(f"{len(results.results)} results, {len(results.cases)} cases, {len(results.targets)} targets")
    print(f"made in {took:.1f} s, {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB at most")
    return _judged(len(text.encode()), *_measured(text))


def multiplied(results: Results, count: int) -> Results:
    """The same results for further versions of the targets, some of them taken from other APIs, until there are enough."""
    chance = random.Random(0)  # noqa: S311 - no secret
    by_case: dict[str, list[ResultRecord]] = {}
    for one in results.results:
        by_case.setdefault(one.case, []).append(one)
    found, targets, mappings = list(results.results), list(results.targets), list(results.mappings)
    while len(found) < count:
        further = len(targets) // len(results.targets)
        names = {one.id: one.id.replace("@", f".post{further}@") for one in results.targets}
        targets += [_version(one, names[one.id], further) for one in results.targets]
        mappings += [replace(one, target=names[one.target]) for one in results.mappings]
        for one in results.results[: count - len(found)]:
            same = chance.choice(by_case[one.case]) if chance.random() < OTHERWISE else one
            found.append(replace(same, target=names[one.target], api=one.api))
    return replace(results, targets=targets, mappings=mappings, results=found)


def _version(target: TargetRecord, name: str, further: int) -> TargetRecord:
    return replace(target, id=name, version=f"{target.version}.post{further}")


def _measured(text: str) -> tuple[float, float]:
    """Seconds until the overview is painted and filters answer, and those of the slowest filter."""
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        path = Path(folder) / "index.html"
        path.write_text(text, encoding="utf-8")
        page = browser.open(path.as_uri())
        shown = page.evaluate(SHOWN)
        return shown, max(_filter(page, one) for one in FILTERS)


def _filter(page: Page, action: str) -> float:
    return float(page.evaluate(FILTERED % action))


def _judged(size: int, shown: float, filtered: float) -> int:
    rows = [
        ("size of the file", size / 1e6, MOST_BYTES / 1e6, "MB"),
        ("overview shown after", shown, MOST_SHOWN, "s"),
        ("slowest filter", filtered, MOST_FILTERED, "s"),
    ]
    for name, figure, goal, unit in rows:
        print(f"{name:<22} {figure:8.3f} {unit:<2}  goal {goal:g} {unit}  {'kept' if figure <= goal else 'MISSED'}")
    return int(any(figure > goal for _, figure, goal, _ in rows))


if __name__ == "__main__":
    sys.exit(main())
