"""``conformance check``: check specs and adapters; only with ``--frameworks`` is a framework run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click
from packaging.specifiers import SpecifierSet

from conformance.app import loading
from conformance.app.errors import ConformanceError, invalid
from conformance.app.project import project
from conformance.cases.build import build_sound_cases
from conformance.cases.draws.check import check_draws
from conformance.cases.facts import CaseFacts
from conformance.cases.model import Case
from conformance.cli.check_frameworks import check_in_frameworks
from conformance.data_folders import specs_folder
from conformance.distribution import rivals
from conformance.environments.definition import definitions, installs
from conformance.environments.errors import TargetBlocked, TargetError
from conformance.environments.packages import TargetFolder, target_folders
from conformance.judging.against_reference import contradicted
from conformance.known.model import NAME
from conformance.reports.text import counted
from conformance.results.describe import written_digests
from conformance.specification.adapter_files import check_adapter
from conformance.specification.check import check
from conformance.specification.epoch import epoch_problems, read_epoch, write_epoch
from conformance.specification.loader import load_sound_specs
from conformance.specification.model import Catalogue
from conformance.specification.problems import Problem, SpecError, display_path


def check_files(paths: tuple[Path, ...], *, frameworks: bool, update_epoch: bool = False) -> int:
    """Check specs and adapters, and print what was checked; with ``update_epoch``, publish the suite's cases."""
    for sentence in rivals():
        click.echo(f"warning: {sentence}", err=True)
    paths = tuple(_adapter_of(path) or path for path in paths)
    specs = [path for path in paths if path.suffix != ".py"]
    adapters = [path for path in paths if path.suffix == ".py"]
    targets = sorted(target_folders().values(), key=lambda target: target.folder) if not paths else []
    adapters += dict.fromkeys(target.adapter for target in targets)
    problems: list[Problem] = []
    spec_paths: list[Path | None] = [*specs] if paths else [None]
    built: dict[Path | None, Sequence[Case]] = {}
    checked = [_check_specs(path, problems, built) for path in spec_paths]
    checked += [_check_epoch(built[None], problems, update=update_epoch)] if built.get(None) and not problems else []
    if adapters:
        of_project = project().options.get("specs") if paths and not specs else None
        own = [of_project] if of_project is not None else specs
        checked += _check_adapters(adapters, targets, own, problems, built)
    if frameworks and not problems:
        for specs_path in spec_paths:
            checked += _check_in_frameworks(loading.catalogue(specs_path), problems)
    if problems:
        raise invalid(set(problems))
    for subject in checked:
        click.echo(f"ok: {subject}")
    return 0


def _check_adapters(
    adapters: Sequence[Path],
    targets: Sequence[TargetFolder],
    own: Sequence[Path],
    problems: list[Problem],
    built: Mapping[Path | None, Sequence[Case]],
) -> list[str]:
    """Add the problems of adapters and of the known divergences beside them, and describe what was checked.

    own: specs besides those of the suite, whose operations the adapters may map.
    """
    catalogue = _catalogue_for_adapters(own)
    beside = any(
        (folder / NAME).is_file()
        for folder in (*(path.parent for path in adapters), *(target.folder for target in targets))
    )
    cases = [fact for path in (None, *own) for fact in _facts(path, built)] if beside else []
    checked = []
    for path in adapters:
        advice = f"An operation of your own needs its specs: conformance check SPECS {display_path(path)}"
        problems += check_adapter(path, catalogue, "" if own else advice)
        problems += loading.known_problems(path, cases)
        checked.append(f"adapter {display_path(path)}")
    for target in targets:
        if target.folder != target.adapter.parent:
            problems += loading.known_problems(target.adapter, cases, target.folder)
            checked.append(f"target {target.name}, which extends the one of {display_path(target.adapter)}")
    return checked


def _adapter_of(path: Path) -> Path | None:
    """The adapter of the target of this name, if there is no such path."""
    target = None if path.exists() else target_folders().get(str(path))
    return target.adapter if target is not None else None


def _check_specs(path: Path | None, problems: list[Problem], built: dict[Path | None, Sequence[Case]]) -> str:
    """Add the problems of the specs to the list and their cases to the dictionary, and describe what they contain."""
    try:
        catalogue, spec_problems = load_sound_specs(path)
    except SpecError as error:
        problems += error.problems
        return ""
    spec_problems += [*check(catalogue), *_void_claims(catalogue)]
    # Drawn calls of a clause, and the expectation of a wrong call, would only repeat what the written calls show.
    clauses = {problem.clause for problem in spec_problems} - {None}
    cases = {problem.case for problem in spec_problems} - {None}
    spec_problems += [problem for problem in _draw_problems(catalogue) if problem.clause not in clauses]
    built[path], case_problems = _built(catalogue)
    if not spec_problems and built[path]:  # what is read of a file with mistakes may be another call than what is meant
        case_problems += contradicted(built[path], loading.reference_of(catalogue))
    spec_problems += [problem for problem in case_problems if problem.case not in cases]
    problems += spec_problems
    return _description(catalogue)


def _check_epoch(cases: Sequence[Case], problems: list[Problem], *, update: bool) -> str:
    """Add a problem if a published case went or changed, or publish what is there instead; describe the epoch."""
    digests = written_digests(cases)
    if not update:
        problems += epoch_problems(specs_folder(), digests)
        epoch = read_epoch(specs_folder())
        return (
            f"epoch {epoch.number}, {counted(len(epoch.digests), 'published case')}"
            if epoch is not None
            else "no epoch"
        )
    epoch, differs = write_epoch(specs_folder(), digests)
    new = f"{counted(len(differs.new), 'new case')}"
    return f"epoch {epoch.number}: {'; '.join(filter(None, [differs.words(), new]))}"


def _void_claims(catalogue: Catalogue) -> Iterator[Problem]:
    """Claims of releases that no environment can install and that are not marked as history, and the reverse."""
    frameworks = definitions()
    for document in catalogue.documents.values():
        definition = frameworks.get(document.framework)
        for claim in document.claims.values() if definition is not None else ():
            versions = document.versions & (claim.versions or SpecifierSet())
            if definition is not None and installs(definition, versions) == claim.history:
                releases = ", ".join(str(release.versions) for release in definition.releases)
                name = f"{document.id}#{claim.locator}"
                text = (
                    f"{name}: is history, but {versions} can be installed; remove history"
                    if claim.history
                    else f"{name}: binds no release, as none of {versions} can be installed (only {releases}); correct versions, "
                    "or mark it with history: true"
                )
                yield Problem(claim.location, text)


def _check_in_frameworks(catalogue: Catalogue, problems: list[Problem]) -> list[str]:
    """Add the problems of what only frameworks can show, and describe what was executed."""
    summaries = []
    try:
        for executed in check_in_frameworks(catalogue, lambda message: click.echo(message, err=True)):
            problems += executed.problems
            summaries.append(executed.summary)
    except (TargetError, TargetBlocked) as error:
        raise ConformanceError(str(error), error.exit_status) from None
    return summaries


def _draw_problems(catalogue: Catalogue) -> list[Problem]:
    try:
        return check_draws(catalogue)
    except SpecError as error:  # an expression exceeds a limit
        return error.problems


def _built(catalogue: Catalogue) -> tuple[Sequence[Case], list[Problem]]:
    """The cases that can be built, and the problems of the reference beside the specs, or of the cases that need it."""
    reference_problems = check_adapter(catalogue.reference, catalogue) if catalogue.reference else []
    try:
        return ([], reference_problems) if reference_problems else _sound_cases(catalogue)
    except SpecError as error:
        return [], error.problems


def _sound_cases(catalogue: Catalogue) -> tuple[Sequence[Case], list[Problem]]:
    return build_sound_cases(catalogue, loading.reference_of(catalogue))


def _catalogue_for_adapters(specs: Sequence[Path]) -> Catalogue:
    """The suite's specs, together with those that are checked in the same command."""
    combined = loading.catalogue(None)
    for path in specs:
        with contextlib.suppress(SpecError):  # reported as a problem of the specs
            combined = loading.combined(combined, load_sound_specs(path)[0])
    return combined


def _facts(path: Path | None, built: Mapping[Path | None, Sequence[Case]]) -> Sequence[CaseFacts]:
    """Those of the cases that known divergences can match; those of the suite may be stored if the command does not check its specs."""
    if path in built:
        return [case.facts for case in built[path]]
    if path is None:
        return loading.suite().facts
    try:
        return [case.facts for case in _sound_cases(load_sound_specs(path)[0])[0]]
    except SpecError:
        return []  # reported as a problem of the specs


def _description(catalogue: Catalogue) -> str:
    clauses = [clause for operation in catalogue.operations.values() for clause in operation.clauses]
    counts = {
        "operation": len(catalogue.operations),
        "clause": len(clauses),
        "case": sum(len(clause.written_calls) for clause in clauses),
        "document": len(catalogue.documents),
    }
    return ", ".join(counted(count, noun) for noun, count in counts.items())
