"""Three sentences on what is most worth knowing about a run, made from the behaviour table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from conformance.findings.behaviour_table import VERBS, BehaviourTable, Column, Line, Verb
from conformance.findings.situations import PAST_THE_END, TWICE, Situation
from conformance.reports.behaviours import WORDS
from conformance.reports.text import counted, visible

ENDS: tuple[Verb, ...] = ("dies", "hangs", "varies")
"""Verbs of calls that end the process, or do not do the same each time."""

Cells = dict[str, tuple[Line, ...]]
"""Operation to the lines of a column in a situation."""


def headlines(table: BehaviourTable) -> list[str]:
    """On indices past the end, positions written twice, and what ends the process; without what was not called."""
    sentences = (_past_the_end(table), _written_twice(table), _ends(table))
    return [visible(sentence) for sentence in sentences if sentence]


def column_name(column: Column) -> str:
    """``PyTorch``, with the mode and the device if they are not the default."""
    target = column.target
    details = [column.mode] * (not target.default_mode) + [column.device] * target.gpu
    name = target.title or target.framework
    return f"{name} ({', '.join(details)})" if details else name


def _cells(table: BehaviourTable, situation: Situation) -> Iterator[tuple[str, Cells]]:
    """Each column that was called in a situation, with its lines by operation.

    Other modes than the default of a framework are left out if that is there too: there may be dozens.
    """
    rows = [row for row in table.rows if row.situation == situation]
    by_default = {column.target.framework for column in table.columns if column.target.default_mode}
    for number, column in enumerate(table.columns):
        if column.target.framework in by_default and not column.target.default_mode:
            continue
        cells = {row.operation: row.cells[number] for row in rows if row.cells[number]}
        if cells:
            yield column_name(column), cells


def _past_the_end(table: BehaviourTable) -> str | None:
    """``An index past the end: PyTorch raises in 8 of 9 operations, at worst it wraps around (torch.take); ...``."""
    parts = []
    for name, cells in _cells(table, PAST_THE_END):
        raising = sum({line.verb for line in lines} == {"raises"} for lines in cells.values())
        worst = min((line for lines in cells.values() for line in lines), key=lambda line: VERBS.index(line.verb))
        at_worst = f", at worst it {WORDS[worst.verb][1]} ({worst.apis[0]})" if worst.verb != "raises" else ""
        parts.append(f"{name} raises in {raising} of {counted(len(cells), 'operation')}{at_worst}")
    return f"An index past the end: {'; '.join(parts)}." if parts else None


def _written_twice(table: BehaviourTable) -> str | None:
    """``Positions written twice: each framework adds in scatter_nd; index_copy varies (PyTorch), ...``."""
    usual: dict[str, dict[str, Verb]] = {}
    for name, cells in _cells(table, TWICE):
        for operation, lines in cells.items():
            usual.setdefault(operation, {})[name] = _usual(lines)
    common: dict[Verb, list[str]] = {}
    parts = []
    for operation, verbs in usual.items():
        if len({*verbs.values()}) == 1:
            common.setdefault(next(iter(verbs.values())), []).append(operation)
        else:
            names = {verb: [name for name, each in verbs.items() if each == verb] for verb in verbs.values()}
            each = ", ".join(f"{WORDS[verb][1]} ({', '.join(those)})" for verb, those in names.items())
            parts.append(f"{operation} {each}")
    together = [f"each framework {WORDS[verb][1]} in {_listed(operations)}" for verb, operations in common.items()]
    return f"Positions written twice: {'; '.join([*together, *parts])}." if usual else None


def _usual(lines: Sequence[Line]) -> Verb:
    """What most calls do."""
    calls: Counter[Verb] = Counter()
    for line in lines:
        calls[line.verb] += len(line.results)
    return calls.most_common(1)[0][0]


def _ends(table: BehaviourTable) -> str | None:
    """``Ends the process: MindSpore (gather_nd, scatter_nd). Varies: ...``, or a sentence that nothing does."""
    found: dict[Verb, dict[str, dict[str, None]]] = {}
    for row in table.rows:
        for column, lines in zip(table.columns, row.cells, strict=True):
            for verb in {line.verb for line in lines} & {*ENDS}:
                found.setdefault(verb, {}).setdefault(column_name(column), {})[row.operation] = None
    if not found:
        return _nothing_ends(table) if table.rows else None
    texts = []
    for verb in (verb for verb in ENDS if verb in found):
        names = (f"{name} ({', '.join(operations)})" for name, operations in found[verb].items())
        texts.append(f"{WORDS[verb][1].capitalize()}: {', '.join(names)}.")
    return " ".join(texts)


def _nothing_ends(table: BehaviourTable) -> str:
    if any(column.target.not_repeated is not None for column in table.columns):
        return "No call ended its process or hung."  # whether one varies is not known
    return "No call ended its process, hung or varied."


def _listed(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
