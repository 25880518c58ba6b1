"""The sections of the summaries. Each is a function of the conclusions from a results file that yields blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from conformance.findings.conclusions import Conclusions
from conformance.findings.disagreements import Disagreement
from conformance.findings.extent import MissingForm
from conformance.findings.findings import Cause, Finding, causes, count
from conformance.findings.programs import KindOfProgram, unshrunk
from conformance.judging.vocabulary import FailOn
from conformance.reports.document import (
    Block,
    Column,
    Heading,
    Item,
    Items,
    Line,
    Role,
    Row,
    Rows,
    Sentence,
    Span,
    code,
    line,
)
from conformance.reports.remarks import remarks, unconverted_texts, undocumented_texts
from conformance.reports.shared import SharedTexts
from conformance.reports.statistics import (
    TargetStatistics,
    counts_text,
    target_statistics,
    unexpected_texts,
)
from conformance.reports.text import beginning, counted, one_line, one_line_with_end
from conformance.reports.wording import (
    ELSEWHERE,
    LEVELS,
    extent,
    level_texts,
    levels,
    lower,
    meaning_of,
    missing_form_text,
    word_of,
)
from conformance.results.exit_status import fails
from conformance.results.records import ExampleRecord

EXAMPLES = "Examples in its own documentation that fail"
UNEXPECTED = "Unexpected passes: known divergences that no longer happen as recorded"
DISAGREE = {"modes": "Modes disagree", "devices": "Devices disagree"}
ROLES: dict[str, Role] = {
    "conforms": "good",
    "own": "alarm",
    "printed": "alarm",
    "portability": "warning",
    "died": "ended",
    "hung": "ended",
}
PROGRAMS = "Drawn programs that are wrong"
MOST_REMARK = 76
"""Characters of a remark in short."""
MOST_REMARKS = 6
MOST_EXAMPLES = 3
"""That fail, of which the name is given in short."""
NO_SUCH_FORM = "Forms that an API does not have"
MOST_REASONS = 3
"""Of a target, why its APIs do not have a form."""
MOST_MEANINGS = 3
"""Of a target."""
MOST_NEW, MOST_LISTED = 12, 6
"""Entries of a list in Markdown: of what is new, and of others."""


def without_results(conclusions: Conclusions) -> Iterator[Block]:
    """Why targets did not start, gave up, or have no results."""
    for row in target_statistics(conclusions.table):
        complete = conclusions.results.complete
        remark = row.remark(complete=complete)
        if remark and remark != row.problem(complete=complete):  # which its row of the table says
            yield Sentence(line(code(row.target.id), " ", Span(one_line_with_end(remark, 400), "code")), "alarm")


def counts(conclusions: Conclusions) -> Iterator[Block]:
    """Why some targets have no results, and the number of results of each by verdict."""
    yield from without_results(conclusions)
    statistics, complete = target_statistics(conclusions.table), conclusions.results.complete
    all_sorts = ("conforms", "own", "printed", "portability", "died", "hung")
    always = ("conforms", "own", "portability")
    shown = [sort for sort in all_sorts if sort in always or any(row.counts[sort] for row in statistics)]
    above = {"own": "diverges", "printed": "diverges", "portability": "diverges"}
    judged = (Column(sort, above.get(sort, "")) for sort in shown)
    columns = [Column("judged"), *judged, Column("open"), Column("absent")]
    yield Rows(
        Column("target"),
        columns,
        [_row(row, shown, complete=complete) for row in statistics],
        [_sentence(row, complete=complete) for row in statistics],
    )


def _row(row: TargetStatistics, shown: Sequence[str], *, complete: bool) -> Row:
    name = code(row.target.id, 1000)
    if not row.results:  # zeros would look like a result
        return Row((), name, Span(row.problem(complete=complete) or ""))
    others = (row.unjudged, row.counts["unsupported"])
    numbers = [_number(row, sort) for sort in shown]
    return Row((Span(str(row.judgements)), *numbers, *(Span(str(n), "plain" if n else "dim") for n in others)), name)


def _number(row: TargetStatistics, sort: str) -> Span:
    number = row.counts[sort]
    return Span(str(number) if row.could_have(sort) else "-", ROLES[sort] if number else "dim")


def _sentence(row: TargetStatistics, *, complete: bool) -> Line:
    return line(code(row.target.id), f": {counts_text(row) if row.results else row.problem(complete=complete)}")


def all_counts(conclusions: Conclusions) -> Iterator[Block]:
    """The number of results of each target by every verdict, in sentences, and of its processes."""
    for row in target_statistics(conclusions.table):
        if row.results:
            yield Sentence(line(code(row.target.id), f": {counts_text(row)}"))
    for target in conclusions.results.targets:
        if target.imports is not None and target.forks is not None:
            imports = counted(target.imports, "process imported it", "processes imported it")
            forks = counted(target.forks, "worker was forked after an import", "workers were forked after an import")
            yield Sentence(line(code(target.id), f": {imports}, {forks}"))


def missing_forms(conclusions: Conclusions) -> Iterator[Block]:
    """For each target the calls of forms that its APIs do not have, and the reasons with most calls."""
    by_target: dict[str, list[MissingForm]] = {}
    for form in conclusions.missing_forms:
        by_target.setdefault(form.target, []).append(form)
    if by_target:
        number = sum(len(form.results) for form in conclusions.missing_forms)
        yield Heading(f"{NO_SUCH_FORM} ({counted(number, 'call')})")
        yield Items([_missing_on(target, forms) for target, forms in by_target.items()])


def _missing_on(target: str, forms: Sequence[MissingForm]) -> Item:
    number = sum(len(form.results) for form in forms)
    below = [line(code(missing_form_text(form), 200)) for form in forms[:MOST_REASONS]]
    more = [line(f"and {counted(len(forms) - MOST_REASONS, 'other reason')}")] if len(forms) > MOST_REASONS else []
    return Item(line(code(target), f": {counted(number, 'call')}"), (*below, *more))


def all_missing_forms(conclusions: Conclusions) -> Iterator[Block]:
    """Every API and reason."""
    if conclusions.missing_forms:
        yield Heading(f"{NO_SUCH_FORM}, by API and reason")
        yield Items([
            Item(line(code(form.target), " ", code(missing_form_text(form), 300))) for form in conclusions.missing_forms
        ])  # fmt: skip


def unexpected(conclusions: Conclusions) -> Iterator[Block]:
    """The known divergences that did not happen as recorded."""
    texts = unexpected_texts(conclusions.results)
    if texts:
        yield Heading(f"{UNEXPECTED} ({len(texts)})", "alarm")
        yield Items([Item(line(code(text))) for text in texts], {"markdown": MOST_LISTED})


def new(conclusions: Conclusions, fail_on: FailOn) -> Iterator[Block]:
    """The findings that make the run fail, in full; apart from others, those that a ledger records elsewhere."""
    failing = [finding for finding in conclusions.findings if fails(finding.first, fail_on)]
    found = [finding for finding in failing if finding.is_new]
    if not found:
        yield Heading("New: nothing")
    elsewhere = [finding for finding in failing if not finding.is_new]
    if elsewhere:
        yield Heading(f"{ELSEWHERE[0].upper()}{ELSEWHERE[1:]} only: {counted(len(elsewhere), 'finding')}", "alarm")
        yield Items(list(entries(elsewhere, conclusions)), {"markdown": MOST_LISTED})
    for title, sorts in LEVELS.items():
        members = [finding for finding in found if finding.sort in sorts]
        if members:
            number = count(causes(conclusions.table, members, conclusions.shared), *sorts)
            yield Heading(f"New: {lower(title)}: {levels(number)}", "alarm")
            yield Items(list(entries(members, conclusions)), {"markdown": MOST_NEW})


def all_levels(conclusions: Conclusions, *, for_porting: bool = False) -> Iterator[Block]:
    """The number of causes and findings, known or not; for_porting: with what differences between APIs mean."""
    items = []
    above: set[str] = set()
    for title, sorts in LEVELS.items():
        number = count(conclusions.causes, *sorts)
        if number.findings:
            below = tuple(_meanings(conclusions)) if for_porting and sorts == ("portability",) else ()
            of_level = {cause.id for cause in conclusions.causes if count([cause], *sorts).findings}
            again = f" ({counted(len(of_level & above), 'cause')} counted above)" if of_level & above else ""
            items.append(Item(line(f"{title}: {levels(number)}{again}"), below))
            above |= of_level
    if items:
        yield Heading("In all, known or new")
        yield Items(items)


def all_findings(conclusions: Conclusions) -> Iterator[Block]:
    """Every finding, in entries by what it breaks."""
    titles = list(level_texts(conclusions.causes))
    parts = ([finding for finding in conclusions.findings if finding.sort in sorts] for sorts in LEVELS.values())
    for title, members in zip(titles, filter(None, parts), strict=True):
        yield Heading(title)
        yield Items(list(entries(members, conclusions)))


def entries(found: Sequence[Finding], conclusions: Conclusions) -> Iterator[Item]:
    """An entry for each finding; those that differ in nothing but the API share one, which names their APIs."""
    shared = SharedTexts(conclusions)
    alike: dict[object, list[Finding]] = {}
    for finding in found:
        cases = tuple(result.case for result in finding.results)
        key = (
            finding.target,
            finding.clause,
            finding.sort,
            finding.kinds,
            finding.known,
            cases,
            finding.of,
            finding.alone,
        )
        alike.setdefault((*key, finding.first.explanation), []).append(finding)
    for members in alike.values():
        yield _entry(members, shared)


def _entry(members: Sequence[Finding], shared: SharedTexts) -> Item:
    first = members[0]
    apis = ", ".join(one_line(finding.api) for finding in members)
    each = " each" if len(members) > 1 else ""
    below = [line(code(first.clause), f": {word_of(first.first)} in {extent(first)}{each}")]
    if first.first.explanation:
        below.append(line(code(first.first.explanation, 160)))
    common = shared.of(members)
    if common:
        below.append(line(code(common)))
    if first.known:
        below.append(line("known: ", code(first.known)))
    if first.elsewhere:
        below.append(line("recorded elsewhere: ", code(", ".join(first.elsewhere))))
    return Item(line(Span(apis, "code"), " on ", code(first.target)), tuple(below))


def _meanings(conclusions: Conclusions) -> Iterator[Line]:
    """For each target what its differences from other APIs' documentation mean for a port, the most frequent first."""
    found = [finding for finding in conclusions.findings if finding.sort == "portability"]
    for target, members in groupby(found, key=lambda finding: finding.target):
        results: Counter[str] = Counter()
        for finding in members:
            results[meaning_of(finding.first)] += len(finding.results)
        texts = [f"{text} ({counted(number, 'result')})" for text, number in results.most_common(MOST_MEANINGS)]
        yield line(code(target), f": {', '.join(texts)}")


def programs(conclusions: Conclusions) -> Iterator[Block]:
    """The kinds of drawn programs that diverge, each with the smallest one."""
    if conclusions.programs:
        drawn = sum(kind.stands_for for kind in conclusions.programs)
        yield Heading(f"{PROGRAMS}: {counted(len(conclusions.programs), 'kind')}, {counted(drawn, 'program')}", "alarm")
        yield Items([_kind(kind) for kind in conclusions.programs], {"markdown": MOST_NEW})
    for target, number in unshrunk(conclusions.table, conclusions.causes).items():
        yield Sentence(
            line(
                code(target),
                f": {counted(number, 'drawn program')} diverged and {'was' if number == 1 else 'were'} not shrunk",
            )
        )


def _kind(kind: KindOfProgram) -> Item:
    stands_for = f"stands for {counted(kind.stands_for, 'drawn program')}; {kind.dtypes}"
    below = [line(code(text, 160)) for text in kind.program.splitlines()]
    if kind.result.explanation:
        below.append(line(code(kind.result.explanation, 160)))
    return Item(
        line(Span(one_line(kind.result.api), "code"), " on ", code(kind.result.target), f": {stands_for}"), tuple(below)
    )


def ledgers(conclusions: Conclusions) -> Iterator[Block]:
    """A line for each framework with known divergences: the entries of its ledger that happened, and their findings."""
    known = [cause for cause in conclusions.causes if cause.known is not None]
    if known:
        entries_text = counted(len(known), "entry", "entries")
        findings = counted(sum(len(cause.findings) for cause in known), "finding")
        yield Sentence(line(f"Known divergences: {entries_text}, {findings}"))
        yield Items([
            Item(line(code(framework), f": {counted(len(members), 'entry', 'entries')}, {_findings_text(members)}"))
            for framework, members in _by_framework(known).items()
        ])  # fmt: skip


def _by_framework(found: Sequence[Cause]) -> dict[str, list[Cause]]:
    members: dict[str, list[Cause]] = {}
    for cause in found:
        members.setdefault(cause.framework, []).append(cause)
    return members


def _findings_text(members: Sequence[Cause]) -> str:
    return counted(sum(len(cause.findings) for cause in members), "finding")


def ledger_entries(conclusions: Conclusions) -> Iterator[Block]:
    """Each known divergence that happened, with the first sentence of its reason, and its link."""
    known = [cause.entry for cause in conclusions.causes if cause.entry is not None]
    if known:
        yield Heading(f"Known divergences ({len(known)})")
        yield Items([
            Item(line(code(entry.id), ": ", code(_first_sentence(entry.reason), 160), " (", code(entry.link), ")"))
            for entry in known
        ])  # fmt: skip


def _first_sentence(reason: str) -> str:
    words = " ".join(reason.split())
    end = words.find(". ")
    return words if end < 0 else words[: end + 1]


def remarks_in_short(conclusions: Conclusions) -> Iterator[Block]:
    """What the user's adapter got wrong, and the beginning of each other remark."""
    mistakes = [*unconverted_texts(conclusions.results), *undocumented_texts(conclusions.results)]
    for text in mistakes:
        yield Sentence(line(code(text)))
    texts = [text for text in remarks(conclusions.results) if text not in mistakes]
    if texts:
        yield Sentence(line("Remarks, which -v has in full:"))
        yield Items([Item(line(code(beginning(text, MOST_REMARK)))) for text in texts], {"terminal": MOST_REMARKS})


def all_remarks(conclusions: Conclusions) -> Iterator[Block]:
    for text in remarks(conclusions.results):
        yield Sentence(line(code(text)))


def examples(conclusions: Conclusions) -> Iterator[Block]:
    """The examples of shipped documentation that fail."""
    failing = failing_examples(conclusions)
    if failing:
        yield Heading(f"{EXAMPLES} ({len(failing)})")
        items = [Item(line(code(example.target), " ", code(example_text(example)))) for example in failing]
        yield Items(items, {"markdown": MOST_LISTED})


def failing_examples(conclusions: Conclusions) -> list[ExampleRecord]:
    """The examples that fail, in the order of the targets."""
    return [example for example in conclusions.results.examples if example.fails]


def example_text(example: ExampleRecord) -> str:
    """``jax.ops.segment_sum, example 1: Statement 3 raises NameError. name 'x' is not defined``."""
    message = one_line(example.error.message, 120) if example.error is not None else ""
    return one_line(f"{example.object}, {example.place}: {example.explanation} {message}".strip(), 240)


def disagreeing(conclusions: Conclusions) -> Iterator[Block]:
    """Where modes or devices disagree."""
    for title, members in _disagreements(conclusions):
        yield Heading(f"{title} ({len(members)})")
        yield Items(list(map(_disagreement, members)), {"markdown": MOST_LISTED})


def _disagreements(conclusions: Conclusions) -> Iterator[tuple[str, list[Disagreement]]]:
    found = conclusions.disagreements
    for kind, title in DISAGREE.items():
        members = [disagreement for disagreement in found if disagreement.kind == kind]
        if members:
            yield title, members


def _disagreement(disagreement: Disagreement) -> Item:
    cases = f"{len(disagreement.cases)} of {counted(disagreement.of, 'case')}"
    was, now = disagreement.example.was, disagreement.example.now
    return Item(
        line(code(disagreement.api), " on ", code(", ".join(disagreement.targets))),
        (
            line(code(disagreement.clause), f": {', '.join(disagreement.aspects)} in {cases}"),
            line(code(f"{disagreement.cases[0]}: {was}, and {now}", 200)),
        ),
    )


def only_listed(conclusions: Conclusions) -> Iterator[Block]:
    """The number of what the full list has besides findings, and the examples that fail by name."""
    titles = {f"{title}: {counted(len(members), 'clause')}" for title, members in _disagreements(conclusions)}
    for text in sorted(titles):
        yield Sentence(line(text))
    failing = failing_examples(conclusions)
    if failing:
        yield Sentence(line(f"{EXAMPLES}, which fails no run: {counted(len(failing), 'example')}"))
        yield Items([Item(line(code(example_text(example)))) for example in failing], {"terminal": MOST_EXAMPLES})
