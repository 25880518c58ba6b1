"""Run the whole suite, and bring what is published up to date: ``python reports/publish.py``.

It takes hours on two cores. Each target of published.toml is a part that is kept: started again, the command completes what was
interrupted, and makes again only what has changed. ``--no-runs`` uses the parts that are complete. ``--unpack`` first makes parts of the
published run for the targets that have none, so that a target can be made again without the others. ``--device cuda`` runs the targets
of that device, for ``reports/cuda``; what follows ``--`` is for ``conformance matrix``, such as ``--here`` on a machine with a GPU that has no
network: ``timeout --signal=INT 500 python reports/publish.py --device cuda --parts PARTS -- --here``, again and again.
"""

from __future__ import annotations

import argparse
import lzma
import os
import re
import resource
import shutil
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path

from rich.console import Console

from conformance.app.published import NAME as BEHAVIOURS
from conformance.app.published import write as write_behaviours
from conformance.app.results_files import load_results
from conformance.findings.conclusions import Conclusions
from conformance.matrix.planning import folder_name
from conformance.reports import sections
from conformance.reports.document import Document
from conformance.reports.statistics import target_statistics
from conformance.reports.terminal import show
from conformance.reports.text import counted
from conformance.results.exit_status import BLOCKED, DIVERGES, OK, exit_status
from conformance.results.file import FILE_NAME, FILE_NAMES, Results, open_results, results_file
from conformance.results.order import verdicts, write_results

REPORTS = Path(__file__).parent
PLAN = REPORTS / "published.toml"
MOST_BYTES = 20_000_000
XZ_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 2**28}]
"""The same case on another target is up to hundreds of MB away. This takes a third off the file, some minutes to write, and 256 MiB to read."""
ENDED = (OK, DIVERGES, BLOCKED)
"""The exit statuses of a run that ended by itself."""
NOT_RUN = "compiling takes half an hour or an hour for each, on two cores"
DEFAULT_RUN = ("reference", "torch", "tensorflow", "mindspore")
"""What ``conformance run`` runs, of which README shows the end."""


@dataclass(frozen=True)
class Found:
    """A row of README's table of what was found."""

    entry: str
    """``FRAMEWORK/ID`` of a ledger."""
    api: str
    happens: str


@dataclass(frozen=True)
class Published:
    """published.toml."""

    newest: Sequence[str]
    others: Sequence[str]
    devices: Mapping[str, Sequence[str]]
    """By device, the targets of a run of its own."""
    left_out: Mapping[str, str]
    found: Sequence[Found]

    @classmethod
    def read(cls, file: Path = PLAN) -> Published:
        """The plan in a file."""
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        found = [Found(**row) for row in content.get("found", [])]
        left_out = content.get("left-out", {})
        return cls(content["newest"], content.get("others", []), content.get("devices", {}), left_out, found)

    def targets(self, device: str | None = None) -> Sequence[str]:
        """All targets, in the order in which they run; with a device, those of its own run."""
        if device is None:
            return [*self.newest, *self.others]
        if device not in self.devices:
            sys.exit(f"{PLAN.name}: no targets for {device!r}; there are some for {', '.join(self.devices)}")
        return [f"{target}@{device}" for target in self.devices[device]]


@dataclass(frozen=True)
class TargetFacts:
    """What README and docs/performance.md say of a target."""

    target: str
    asked: str | None
    """As published.toml has it."""
    framework: str
    """As people write it."""
    default_mode: bool
    cases: int
    """The cases of the operations that it has."""
    called: int
    """Those of them that were called on any of its APIs."""
    judged: int
    seconds: float | None
    memory: int | None
    """Bytes of its largest process."""
    alone: int
    """Causes that show in this mode, and in the framework's default mode nowhere."""


@dataclass(frozen=True)
class Facts:
    """What README and docs/performance.md say of the published run."""

    started: str
    passed: bool
    operations: int
    results: int
    judged: int
    targets: Sequence[TargetFacts]
    links: Mapping[str, str]
    """Of the entries of ledgers that README names, the upstream threads."""


def run_part(target: str, parts: Path, options: Sequence[str] = ()) -> int:
    """Run a target, unless its part is complete and still holds; the exit status."""
    started = time.monotonic()
    parts.mkdir(parents=True, exist_ok=True)
    # Relative paths, since results have the command that made them.
    command = [sys.executable, "-m", "conformance", "matrix", target, "--output", "."]
    process = subprocess.Popen([*command, "--gzip", "--quiet", *options], stdout=subprocess.DEVNULL, cwd=parts)
    try:
        status = process.wait()
    except KeyboardInterrupt:  # the run was interrupted too, and writes what it has
        process.wait()
        sys.exit(f"{target}: interrupted; the same command continues there")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{target}: exit status {status}, {(time.monotonic() - started) / 60:.1f} minutes; "
        f"in all {(used.ru_utime + used.ru_stime) / 60:.0f} minutes of CPU",
        flush=True,
    )
    return status


def unpack(targets: Iterable[str], parts: Path) -> None:
    """Make a part of what is published for each target that has none."""
    results = load_results(REPORTS)
    published = {target.asked for target in results.targets}
    for target in targets:
        folder = parts / folder_name(target)
        if target in published and not folder.is_dir():
            folder.mkdir(parents=True)
            write_results(of_targets(results, {target}), folder / f"{FILE_NAME}.gz")


def merge(targets: Sequence[str], parts: Path, output: Path) -> Results:
    """One run of the parts that are there, with its report in a folder."""
    folders = [f"./{name}" for target in targets if (parts / (name := folder_name(target))).is_dir()]
    command = [sys.executable, "-m", "conformance", "report", *folders, "--output", os.path.relpath(output, parts)]
    subprocess.run([*command, "--current-ledgers", "--gzip"], check=True, stdout=subprocess.DEVNULL, cwd=parts)
    return load_results(output)


def facts_of(results: Results, found: Sequence[Found]) -> Facts:
    """What the documents say of a run; exits if it does not show an entry that README names."""
    conclusions = Conclusions(results)
    frameworks = {target.id: target.framework for target in results.targets}
    shown = {(frameworks[result.target], result.known) for result in results.results}
    links = {}
    for row in found:
        framework, _, name = row.entry.partition("/")
        if (framework, name) not in shown:
            sys.exit(f"{PLAN.name}: {row.entry}: no result of the run is this known divergence; name one that is")
        links[row.entry] = results.known[framework, name].link
    extents = {extent.target: extent for extent in conclusions.extents}
    defaults = {target.id for target in results.targets if target.default_mode}
    alone = Counter(
        target for cause in conclusions.causes if defaults.isdisjoint(cause.targets) for target in cause.targets
    )
    targets = [
        TargetFacts(
            target=each.target.id,
            asked=each.target.asked,
            framework=each.target.title or each.target.framework,
            default_mode=each.target.default_mode,
            cases=extents[each.target.id].cases,
            called=extents[each.target.id].called,
            judged=each.judgements,
            seconds=each.target.seconds,
            memory=each.target.memory,
            alone=alone[each.target.id],
        )
        for each in target_statistics(conclusions.table)
    ]
    return Facts(
        results.run.started,
        exit_status(results, "own") == OK,
        len({clause.operation for clause in results.clauses.values()}),
        len(results.results),
        sum(target.judged for target in targets),
        targets,
        links,
    )


def found_table(published: Published, facts: Facts) -> Iterator[str]:
    """README's table of what was found."""
    yield "| API | what happens | reported |"
    yield "|---|---|---|"
    for row in published.found:
        yield f"| {row.api} | {row.happens} | {_thread(facts.links[row.entry])} |"


def _thread(link: str) -> str:
    if link == "unreported":
        return "not yet"
    repository, number = re.search(r"/([^/]+)/(?:pull|issues)/(\d+)", link).groups()  # type: ignore[union-attr]
    return f"[{repository.lower()} #{number}]({link})"


def whole_run(published: Published, facts: Facts) -> Iterator[str]:
    """README's paragraph on the published run, and what it leaves out."""
    frameworks = len({target.framework for target in facts.targets} - {"NumPy reference"})
    yield (
        f"The published run of {facts.started[:10]} has {counted(len(facts.targets), 'target')} of {frameworks} frameworks in "
        f"{facts.operations} operations; {facts.judged:,} of {facts.results:,} results could be judged, and it "
        f"{'passed' if facts.passed else 'failed'}: {'nothing' if facts.passed else 'something'} in it is new."
    )
    yield ""
    yield "| not in it | why |"
    yield "|---|---|"
    asked = {target.asked for target in facts.targets}
    if missing := [f"`{target}`" for target in published.targets() if target not in asked]:
        yield f"| {', '.join(missing)} | to be in it, and not run to the end yet: {NOT_RUN} |"
    yield from (f"| {what} | {why} |" for what, why in published.left_out.items())


def costs(facts: Facts) -> Iterator[str]:
    """The section of docs/performance.md: each target, with what it cost."""
    yield (
        "One target after the other on two cores, with other work beside it. *Calls made* are cases that were called on any API, of the cases of the "
        "operations that the target has; [expensive modes](targets.md#samples-in-expensive-modes) make a sample. The last column counts causes that "
        "the framework's default mode does not show."
    )
    yield ""
    yield "| target | calls made | of | results judged | minutes | MB | causes that the default mode does not show |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for target in facts.targets:
        minutes = f"{target.seconds / 60:.1f}" if target.seconds is not None else ""
        memory = f"{target.memory / 1e6:.0f}" if target.memory else ""
        alone = "" if target.default_mode else str(target.alone)
        cells = (f"`{target.target}`", target.called, target.cases, target.judged, minutes, memory, alone)
        yield f"| {' | '.join(map(str, cells))} |"


def printed(results: Results) -> Iterator[str]:
    """A part of what ``conformance run`` prints of these results, as README shows it."""
    conclusions, text = Conclusions(results), StringIO()
    parts = (sections.new(conclusions, "own"), sections.all_levels(conclusions), sections.ledgers(conclusions))
    show(Document.of(*parts), Console(file=text, width=100, highlight=False))
    yield from ("    " + line if line else "" for line in text.getvalue().splitlines())


def with_section(text: str, name: str, lines: Iterator[str]) -> str:
    """A document in which the section between two comments has these lines."""
    begin, end = f"<!-- {name}: written by reports/publish.py -->", f"<!-- end of {name} -->"
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        sys.exit(f"a document has no section between {begin} and {end}")
    body = "\n".join(lines)
    return f"{before}{begin}\n\n{body}\n\n{end}{after}"


def of_targets(results: Results, asked: Collection[str]) -> Results:
    """The part of a run that some of its targets are, by the names under which they were requested."""
    targets = [target for target in results.targets if target.asked in asked]
    ids = {target.id for target in targets}
    own = [result for result in results.results if result.target in ids]
    cases = {result.case for result in own}
    runs = [run for run in results.run.merged if any(target in asked for target in run.targets)]
    end = results.end
    return replace(
        results,
        run=replace(results.run, targets=[target for target in results.run.targets if target in asked], merged=runs),
        targets=targets,
        cases={name: case for name, case in results.cases.items() if name in cases or not case.is_counterexample},
        mappings=[mapping for mapping in results.mappings if mapping.target in ids],
        results=own,
        examples=[example for example in results.examples if example.target in ids],
        end=end
        and replace(
            end,
            counts=verdicts(own),
            unexpected=[record for record in end.unexpected if record.target in ids],
            pattern_counts=[count for count in end.pattern_counts if count.target in ids],
        ),
    )


def documents(published: Published, results: Results, root: Path) -> Mapping[Path, str]:
    """By file, the documents that state numbers of the run, as they should be."""
    facts = facts_of(results, published.found)
    readme, performance = root / "README.md", root / "docs" / "performance.md"
    text = readme.read_text(encoding="utf-8")
    text = with_section(text, "found", found_table(published, facts))
    text = with_section(text, "printed", printed(of_targets(results, DEFAULT_RUN)))
    text = with_section(text, "run", whole_run(published, facts))
    return {readme: text, performance: with_section(performance.read_text(encoding="utf-8"), "costs", costs(facts))}


def publish(published: Published, parts: Path, merged: Path) -> None:
    """Bring the files of the repository up to date from the parts."""
    results = merge(published.targets(), parts, merged / "all")
    write_behaviours(merged / "all", REPORTS / BEHAVIOURS)
    shutil.copy(merged / "all" / "summary.md", REPORTS)
    keep(merged / "all", REPORTS)
    if size() > MOST_BYTES:
        print(f"the results have more than {MOST_BYTES:,} bytes: only those of the newest versions are kept")
        results = merge(published.newest, parts, merged / "newest")
        keep(merged / "newest", REPORTS)
    for file, text in documents(published, results, REPORTS.parent).items():
        file.write_text(text, encoding="utf-8")
    subprocess.run([sys.executable, "-m", "tests.reports.picture", str(merged / "all"), str(REPORTS)], check=True)


def size() -> int:
    """The bytes of what the repository has of the run."""
    return sum(file.stat().st_size for file in (results_file(REPORTS), REPORTS / BEHAVIOURS))


def keep(merged: Path, folder: Path) -> None:
    """Put the results of a merged run into a folder, compressed by xz, which is half of gzip here."""
    for name in FILE_NAMES:
        (folder / name).unlink(missing_ok=True)
    with (
        open_results(results_file(merged)) as plain,
        lzma.open(folder / f"{FILE_NAME}.xz", "wb", filters=XZ_FILTERS) as compressed,
    ):
        shutil.copyfileobj(plain, compressed)


def publish_device(targets: Sequence[str], parts: Path, merged: Path, folder: Path) -> None:
    """Bring the results and the summary of a device's own run up to date from the parts."""
    merge(targets, parts, merged)
    folder.mkdir(exist_ok=True)
    shutil.copy(merged / "summary.md", folder)
    keep(merged, folder)


def main(words: Sequence[str]) -> None:
    """Run what is missing, and publish."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", type=Path, default=Path("conformance-published"), help="where the parts are kept")
    parser.add_argument("--no-runs", action="store_true", help="publish the parts that are there")
    parser.add_argument(
        "--unpack", action="store_true", help="first make parts of what is published, if they are missing"
    )
    parser.add_argument("--device", help="a device of published.toml with a run of its own")
    parser.add_argument("options", nargs="*", help="after --: options of conformance matrix")
    arguments = parser.parse_args(words)
    published = Published.read()
    targets, parts = published.targets(arguments.device), arguments.parts / "targets"
    if arguments.unpack and arguments.device is None:
        unpack(targets, parts)
    for target in () if arguments.no_runs else targets:
        if run_part(target, parts, arguments.options) not in ENDED:
            sys.exit(f"not published, since {target} did not end; the same command continues there")
    if arguments.device is None:
        publish(published, parts, arguments.parts)
    else:
        publish_device(targets, parts, arguments.parts / arguments.device, REPORTS / arguments.device)


if __name__ == "__main__":
    main(sys.argv[1:])
