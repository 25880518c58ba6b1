"""``conformance check``: specs and adapters, without running a framework."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from conformance.cases.build import build_sound_cases
from conformance.cases.draws.check import check_draws
from conformance.cli import known_files, loading
from conformance.cli.failures import USAGE, Failure
from conformance.cli.selfcheck import check_self
from conformance.known.model import CaseFacts, facts
from conformance.places import adapters_folder
from conformance.specification.check import check
from conformance.specification.loader import load_sound_specs
from conformance.specification.model import Catalogue
from conformance.specification.problems import Problem, SpecError, display_path
from conformance.targets.adapter_check import check_adapter


@click.command(name="check")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[SPEC | ADAPTER]...")
@click.option("--self", "itself", is_flag=True, help="Check the suite: try it on adapters that are wrong on purpose.")
@click.option("--json", "as_json", is_flag=True, help="With --self, for programs: one JSON array.")
def command(paths: tuple[Path, ...], *, itself: bool, as_json: bool) -> int:
    """Check specs and adapters; with no PATH, those of the suite.

    Specs: keys, literals, expressions, citations, and that every call keeps or breaks the rules it should. Adapters
    (a .py file): imports, names of operations and arguments, that no API is Unsupported altogether, and that each entry of
    the ledger beside it, divergences.yaml, is about a case and an API.
    """
    if itself or as_json:
        return _check_self(paths, itself=itself, as_json=as_json)
    specs = [path for path in paths if path.suffix != ".py"]
    adapters = [path for path in paths if path.suffix == ".py"]
    if not paths:
        adapters = sorted(adapters_folder().glob("*/adapter.py"))
    problems: list[Problem] = []
    to_check: list[Path | None] = [*specs] if paths else [None]
    said = [_check_specs(path, problems) for path in to_check]
    catalogue = _known(specs)
    known_cases = [fact for path in (None, *specs) for fact in _facts(path)] if adapters else []
    for path in adapters:
        problems += check_adapter(path, catalogue)
        problems += known_files.problems_beside(path, known_cases)
        said.append(f"adapter {display_path(path)}")
    if problems:
        count = f"{len(problems)} problem{'s' if len(problems) != 1 else ''}"
        raise Failure(USAGE, "\n".join([f"{count} found", *map(str, sorted(problems))]))
    for line in said:
        click.echo(f"ok: {line}")
    return 0


def _check_self(paths: Sequence[Path], *, itself: bool, as_json: bool) -> int:
    if paths or not itself:
        raise Failure(
            USAGE, "--self takes no PATH, and --json is for --self alone; say conformance check --self --json"
        )
    return check_self(as_json=as_json)


def _check_specs(path: Path | None, problems: list[Problem]) -> str:
    try:
        catalogue, found = load_sound_specs(path)
    except SpecError as error:
        problems += error.problems
        return ""
    found += check(catalogue)
    # What written calls show of a clause, drawn ones would say again, and the expectation of a wrong call is wrong too.
    clauses, cases = {problem.clause for problem in found} - {None}, {problem.case for problem in found} - {None}
    found += [problem for problem in check_draws(catalogue) if problem.clause not in clauses]
    found += [problem for problem in _case_problems(catalogue) if problem.case not in cases]
    problems += found
    return _described(catalogue)


def _case_problems(catalogue: Catalogue) -> list[Problem]:
    """What is wrong with the reference beside the specs, or with the cases that it is needed for."""
    beside = check_adapter(catalogue.reference, catalogue) if catalogue.reference else []
    try:
        return beside or build_sound_cases(catalogue, loading.reference_of(catalogue))[1]
    except SpecError as error:
        return error.problems


def _known(specs: Sequence[Path]) -> Catalogue:
    """What adapters may be about: the suite's specs and those that are checked with them."""
    known = loading.catalogue(None)
    for path in specs:
        with contextlib.suppress(SpecError):  # reported as a problem of the specs
            more, _ = load_sound_specs(path)
            operations, documents = {**known.operations, **more.operations}, {**known.documents, **more.documents}
            known = replace(known, operations=operations, documents=documents, gaps=known.gaps | more.gaps)
    return known


def _facts(path: Path | None) -> list[CaseFacts]:
    """What ledgers may be about."""
    try:
        catalogue, _ = load_sound_specs(path)
        return facts(build_sound_cases(catalogue, loading.reference_of(catalogue))[0])
    except SpecError:
        return []  # reported as a problem of the specs


def _described(catalogue: Catalogue) -> str:
    clauses = [clause for operation in catalogue.operations.values() for clause in operation.clauses]
    cases = sum(len(clause.written_calls) for clause in clauses)
    counts = {
        "operation": len(catalogue.operations),
        "clause": len(clauses),
        "case": cases,
        "document": len(catalogue.documents),
    }
    return ", ".join(f"{count} {word}{'s' if count != 1 else ''}" for word, count in counts.items())
