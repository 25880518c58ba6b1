"""``conformance.run``, ``conformance.load`` and ``conformance.diff``."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.api.results import Results
from conformance.app.errors import ConformanceError
from conformance.app.options import RunOptions, check_all
from conformance.app.run import execute, load_inputs, plan
from conformance.app.selecting import check_targets, operation_in
from conformance.data_folders import suite_operations
from conformance.findings.difference import Difference, ResultChange, difference
from conformance.judging.vocabulary import FailOn
from conformance.results.exit_status import USAGE
from conformance.results.file import ResultsError, read_results
from conformance.specification.problems import did_you_mean

__all__ = ["Difference", "ResultChange", "diff", "load", "run"]


def run(
    targets: str | Sequence[str],
    *,
    ids: str | Sequence[str] = (),
    operations: str | Sequence[str] = (),
    keyword: str | None = None,
    apis: str | Sequence[str] = (),
    specs: str | Path | None = None,
    draws: int = 0,
    programs: int = 0,
    seed: int = 0,
    timeout: float = 30.0,
    fail_on: FailOn = "own",
    maxfail: int | None = None,
    here: bool = False,
    python: str | Path | None = None,
    offline: bool = False,
    progress: bool = False,
) -> Results:
    """Run cases on targets as ``conformance run`` does, each in processes of its own, and return the results.

    targets: names such as ``"torch"``, ``"torch==2.13.0[compile]"`` or ``"./adapter.py"``.
    ids, operations, keyword, apis: select cases, as the arguments, ``--operation``, ``-k`` and ``--api`` of the command.
    specs: a spec file or folder instead of the suite's.
    draws, programs, seed: the number of random calls for each rule, that of random programs in all, and their seed.
    timeout: seconds per call.
    fail_on, maxfail: stop after this number of failures; None never stops.
    here, python: run targets in this interpreter, or in that one, instead of in environments of their own.
    offline: use only installed or cached packages.
    progress: show bars on standard error.

    ConformanceError for an unknown target, an error in a spec, an adapter or its known divergences, a number that is out of
    range, or if nothing is selected. A target that cannot be started is no error: its ``blocked`` says why.
    """
    command = _call(locals())
    names = _texts(targets)
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        options = RunOptions(
            words=(*_texts(ids), *names),
            output=Path(folder),
            command=command,
            operations=_texts(operations),
            keyword=keyword,
            apis=_texts(apis),
            specs=_path(specs),
            python=_path(python),
            here=here,
            offline=offline,
            maxfail=maxfail,
            fail_on=fail_on,
            timeout=timeout,
            seed=seed,
            draws=draws,
            programs=programs,
            quiet=not progress,
        )
        check_all(options)
        if not names:
            raise ConformanceError("no targets; expected names such as 'torch' or './adapter.py'", USAGE)
        if options.specs is None:  # before any case is built
            _check_ids(_texts(ids), suite_operations())
            check_targets(names)
        inputs = load_inputs(options)
        if options.specs is not None:
            _check_ids(_texts(ids), inputs.catalogue.operations)
        return Results(execute(plan(options, inputs, inputs.words), options))


def _check_ids(ids: Sequence[str], operations: Collection[str]) -> None:
    """ConformanceError for the first id that begins with none of these operations."""
    for name in ids:
        if operation_in(name) not in operations:
            text = f"no operation, clause or case with id {name!r}{did_you_mean(name, operations)}"
            raise ConformanceError(text, USAGE)


def load(path: str | Path) -> Results:
    """Read the results in a folder, or a results.jsonl; ConformanceError if it cannot be read."""
    try:
        return Results(read_results(Path(path)))
    except ResultsError as error:
        raise ConformanceError(str(error), USAGE) from None


def diff(first: Results | str | Path, second: Results | str | Path) -> Difference:
    """What changed from one run to another, of which either may be a path; ConformanceError as for ``load``."""
    return difference(*(_loaded(results)._records for results in (first, second)))


def _loaded(results: Results | str | Path) -> Results:
    return results if isinstance(results, Results) else load(results)


def _call(arguments: Mapping[str, Any]) -> str:
    """The call of ``run`` with its targets and the arguments that differ from their defaults."""
    targets, *others = inspect.signature(run).parameters.values()
    words = [repr(_plain(arguments[targets.name]))]
    for each in others:
        value = _plain(arguments[each.name])
        if value != _plain(each.default):
            words.append(f"{each.name}={value!r}")
    return f"conformance.run({', '.join(words)})"


def _plain(value: object) -> object:
    """A value that is written as a literal: of a path its text, of several texts a list."""
    if isinstance(value, Path):
        return str(value)
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value


def _texts(texts: str | Sequence[str]) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else tuple(texts)


def _path(path: str | Path | None) -> Path | None:
    return None if path is None else Path(path)
