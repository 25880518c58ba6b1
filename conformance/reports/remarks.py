"""What the numbers of results do not show: what was not run, what varies, missing kernels, unread claims, and mixed entries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from conformance.findings.behaviour import was_called
from conformance.findings.behaviours import REFERENCE
from conformance.findings.extent import missing_kernels
from conformance.judging.vocabulary import BINDING
from conformance.outcomes.model import NotExported
from conformance.reports.text import counted, one_line
from conformance.results.file import Results
from conformance.results.records import TargetRecord
from conformance.results.variations import LEFT_OUT


def remarks(results: Results) -> list[str]:
    """All remarks on a run, each a sentence."""
    return [
        *varying_texts(results),
        *left_out_texts(results),
        *unconverted_texts(results),
        *undocumented_texts(results),
        *not_repeated_texts(results),
        *missing_kernel_texts(results),
        *not_exported_texts(results),
        *unread_texts(results),
        *mixed_entry_texts(results),
    ]


def varying_texts(results: Results) -> list[str]:
    """A sentence on the calls with duplicate indices whose results vary, if there are any."""
    varying = [result for result in results.results if result.determinism and result.determinism.grade == "varies"]
    if not varying:
        return []
    first = varying[0]
    calls = f"{counted(len(varying), 'call')} with duplicate indices gave different results when repeated"
    return [f"{calls}, e.g. {first.api} on {first.target} in {first.case}"]


def unread_texts(results: Results) -> list[str]:
    """A sentence for each target with the number of claims that its shipped documentation no longer makes."""
    return [
        f"{one_line(target.id)}: {counted(len(claims), 'claim')} unread, judged as portability, since the documentation "
        f"that ships with it has other words; see conformance docs --unread --target {one_line(target.id)}"
        for target in results.targets
        if (claims := {claim for of_api in target.unread.values() for claim in of_api})
    ]


def mixed_entry_texts(results: Results) -> list[str]:
    """A sentence for each known divergence whose results treat an index out of bounds in several ways, as no one cause does.

    Elements that were read elsewhere may look like any treatment, or none.
    """
    frameworks = {target.id: target.framework for target in results.targets}
    treated: dict[tuple[str, str], Counter[str]] = {}
    for result in results.results:
        if result.known is not None and result.behaviour not in (None, "other"):
            key = frameworks.get(result.target, ""), result.known
            treated.setdefault(key, Counter())[result.behaviour] += 1
    return [
        f"the known divergence {one_line(entry.id)} ({one_line(entry.source)}) records results of several kinds: "
        f"{', '.join(f'{kind} {number}' for kind, number in sorted(treated[key].items()))}; say with behaviour which it is about"
        for key, entry in results.known.items()
        if len(treated.get(key, ())) > 1
    ]


def unconverted_texts(results: Results) -> list[str]:
    """A sentence for each target whose adapter does not give back tensors of some dtypes or forms."""
    return [
        f"{one_line(target.id)} was not tested in these dtypes or forms: {', '.join(map(one_line, target.unconverted))}; "
        f"{one_line(next(iter(target.unconverted.values())), 300)}"
        for target in results.targets
        if target.unconverted
    ]


def undocumented_texts(results: Results) -> list[str]:
    """A sentence for each target none of whose APIs has a document, so that no divergence of it fails a run."""
    described = {api for document in results.documents for api in document.describes}
    # Nothing documents the suite's own implementation, which only shows what others are compared with.
    own = {target.id for target in results.targets if target.framework == REFERENCE}
    apis: dict[str, set[str]] = {}
    bound = {result.target for result in results.results if result.standing in BINDING}
    for mapping in results.mappings if described else ():
        apis.setdefault(mapping.target, set()).add(mapping.api)
        if mapping.follows is not None or mapping.api in described:
            bound.add(mapping.target)
    return [
        f"no document describes {', '.join(map(one_line, sorted(names)))}, so every divergence of {one_line(target)} is "
        "portability, which fails a run only with --fail-on any; if an API promises to do what a documented one does, "
        "follows of @api names that"
        for target, names in apis.items()
        if target not in bound and target not in own
    ]


def not_repeated_texts(results: Results) -> list[str]:
    """A sentence for each target whose calls with duplicate indices were not repeated, with the reason."""
    return [
        f"{one_line(target.id)} did not repeat calls with duplicate indices: {one_line(target.not_repeated)}"
        for target in results.targets
        if target.not_repeated is not None
    ]


def missing_kernel_texts(results: Results) -> list[str]:
    """A sentence for each target with the APIs that have no kernel on its device."""
    return [
        f"{one_line(target.id)} has no kernel for {', '.join(map(one_line, apis))}: no call of them returned"
        for target in results.targets
        for apis in [missing_kernels(results, target.id)]
        if apis
    ]


def not_exported_texts(results: Results) -> list[str]:
    """A sentence for each target with the number of calls that it cannot export or leaves to others, and the most common reason."""
    return [
        f"{one_line(target.id)} {'cannot export' if target.path else 'leaves to others'} {len(refused)} of "
        f"{counted(len(refused) + made, 'call')}; the most common reason: {one_line(reason, 300)}"
        for target in results.targets
        for refused, made in [_exports(results, target.id)]
        if refused
        for [(reason, _)] in [Counter(refused).most_common(1)]
    ]


def _exports(results: Results, target: str) -> tuple[list[str], int]:
    """The reasons why calls are not exported, a reason for each, and the number of the calls that were made."""
    refused, made = [], 0
    for result in results.results:
        if result.target != target or result.verdict == "blocked":
            continue
        if isinstance(result.outcome, NotExported):
            refused.append(result.outcome.reason)
        elif was_called(result):
            made += 1
    return refused, made


SLOWLY = "this mode compiles slowly"


def left_out_texts(results: Results) -> list[str]:
    """A sentence for each target with the number of calls that it skipped, and the forms of its draws in an expensive mode.

    All targets that skipped only what every mode does share one.
    """
    alike = [target for target in results.targets if _skipped_the_usual(target)]
    alone = [target for target in results.targets if target not in alike or len(alike) == 1]
    texts = [
        f"{one_line(target.id)} {' and '.join(parts)}{_why(target)}"
        for target in alone
        if (parts := list(_expensive_parts(target)))
    ]
    return [*_of_all(alike), *texts] if len(alike) > 1 else texts


def _skipped_the_usual(target: TargetRecord) -> bool:
    return target.forms is None and bool(target.left_out) and not target.too_expensive


def _of_all(targets: Sequence[TargetRecord]) -> Iterator[str]:
    """``2 targets skipped 18070 transformed calls like others (torch==2.13.0@cpu 9947, ...): --transforms all makes them``."""
    total = sum((Counter(target.left_out) for target in targets), Counter())
    skipped = ", ".join(LEFT_OUT[what].counted(number) for what, number in total.items())
    each = ", ".join(f"{one_line(target.id)} {sum(target.left_out.values())}" for target in targets)
    yield f"{counted(len(targets), 'target')} skipped {skipped}{_why(targets[0])} ({each})"


def _why(target: TargetRecord) -> str:
    if target.too_expensive:
        return f": {SLOWLY}, so that each API meets each program, view, constant, argument and transform once, by turns"
    return f": {SLOWLY}" if target.forms is not None else ": --transforms all makes them"


def _expensive_parts(target: TargetRecord) -> Iterator[str]:
    if target.forms is not None:
        yield f"ran draws of {counted(target.forms, 'form')}"
    skipped = [LEFT_OUT[what].counted(count) for what, count in target.left_out.items()]
    if skipped:
        yield f"skipped {', '.join(skipped)}"
