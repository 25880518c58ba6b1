"""Size and speed of the site for many results, in headless Chromium; see README.md, Tests.

``python -m benchmarks.page [RESULTS]`` repeats the targets of a results file as if they were further versions and modes, until
there are 100,000 results of about 36 targets, writes the site and prints measurements and goals. It needs Debian's chromium and
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

from conformance.reports.site import write_site
from conformance.results.file import Results, read_results
from conformance.results.records import MappingRecord, ResultRecord, TargetRecord
from tests.reports.browser import AVAILABLE, MISSING, chromium

RESULT_COUNT, TARGET_COUNT = 100_000, 36
CHANGED_FRACTION = 0.03
"""Fraction of results of a further version that are replaced by another API's result for the same case."""
MAX_BYTES, MAX_OPEN_SECONDS = 300_000, 1.0

FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"
LOAD = f"(async () => {{ const now = await {FRAMES}; return now / 1000; }})()"


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("results", nargs="?", type=Path, default=Path(__file__).parents[1] / "reports")
    parser.add_argument("--count", type=int, default=RESULT_COUNT, help="number of results on the page")
    options = parser.parse_args()
    if not AVAILABLE:
        sys.exit(MISSING)
    results = multiplied(read_results(options.results), options.count)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        started = time.perf_counter()
        write_site(results, folder)
        seconds = time.perf_counter() - started
        files = [path for path in folder.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        print(f"{len(results.results)} results, {len(results.cases)} cases, {len(results.targets)} targets")
        print(
            f"{len(files)} files of {size / 1e6:.0f} MB in {seconds:.1f} s, peak memory "
            f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB"
        )
        largest = max(path.stat().st_size for path in files if path.suffix == ".html")
        return _report(largest, _measure(folder))


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


def _measure(folder: Path) -> float:
    """Seconds until the slowest page of each kind is painted: the first page, and the largest in each folder."""
    kinds = [[folder / "index.html"], *(list(top.rglob("*.html")) for top in folder.iterdir() if top.is_dir())]
    largest = [max(pages, key=lambda page: page.stat().st_size) for pages in kinds if pages]
    with chromium() as browser:
        return max(float(browser.open(page.as_uri()).evaluate(LOAD)) for page in largest)


def _report(largest: int, opened: float) -> int:
    rows = [
        ("largest page", largest / 1e3, MAX_BYTES / 1e3, "kB"),
        ("slowest page opened after", opened, MAX_OPEN_SECONDS, "s"),
    ]
    for name, value, goal, unit in rows:
        print(f"{name:<26} {value:8.3f} {unit:<2}  goal {goal:g} {unit}  {'met' if value <= goal else 'MISSED'}")
    return int(any(value > goal for _, value, goal, _ in rows))


if __name__ == "__main__":
    sys.exit(main())
