"""``conformance check``: check specs and adapters; only with ``--frameworks`` is a framework run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from packaging.specifiers import SpecifierSet

from conformance.app import loading
from conformance.app.errors import ConformanceError, invalid
from conformance.app.project import project
from conformance.cases.build import WRITTEN, build_sound_cases
from conformance.cases.draws.check import check_draws
from conformance.cases.facts import CaseFacts
from conformance.cases.model import Case
from conformance.cases.store.listing import Listing, listing_of
from conformance.cli.check_frameworks import check_in_frameworks
from conformance.cli.check_variants import check_variants
from conformance.cli.specs_to_check import SpecsToCheck
from conformance.data_folders import specs_folder
from conformance.distribution import rivals
from conformance.environments.definition import definitions, installs, load_definition
from conformance.environments.errors import TargetBlocked, TargetError
from conformance.environments.packages import TargetFolder, target_folders
from conformance.environments.target_toml import FILE_NAME as TARGET_TOML
from conformance.judging.against_reference import contradicted
from conformance.known.matching import NamedCases
from conformance.known.model import NAME
from conformance.reports.text import counted
from conformance.results.describe import written_digests
from conformance.specification.adapter_files import check_adapter
from conformance.specification.check import check
from conformance.specification.epoch import epoch_problems, read_epoch, write_epoch
from conformance.specification.loader import load_sound_specs
from conformance.specification.model import Catalogue
from conformance.specification.problems import Problem, SpecError, display_path
from conformance.specification.variants import file_problems


@dataclass(frozen=True)
class What:
    """What a check looks at, and what it writes if all is right."""

    all: bool = False
    """Operations that have passed before and have not changed since are checked too."""
    frameworks: bool = False
    update_epoch: bool = False
    """The suite's cases are published."""
    update_listing: bool = False
    """The listing of the suite's cases is written."""


@dataclass(frozen=True)
class _Checked:
    """Specs that were checked."""

    specs: SpecsToCheck
    catalogue: Catalogue
    passed: frozenset[str]
    """The operations that had passed before and have not changed since."""
    cases: Sequence[Case]
    """Of the others."""

    @property
    def facts(self) -> Sequence[CaseFacts]:
        """Of all cases that known divergences can match."""
        return [case for operation in self.listing.values() for case in operation.cases]

    @property
    def listing(self) -> Listing:
        changed = self.catalogue.only(self.catalogue.operations.keys() - self.passed)
        return {**self.specs.listing(self.passed), **listing_of(changed, self.cases)}


def check_files(paths: tuple[Path, ...], what: What) -> int:
    """Check specs and adapters, and print what was checked."""
    for sentence in rivals():
        click.echo(f"warning: {sentence}", err=True)
    suite = not paths
    given = {path: target for path in paths if (target := _target_at(path)) is not None}
    paths = tuple(_adapter_of(path) or path for path in paths if path not in given)
    specs = [SpecsToCheck.at(path) for path in paths if path.suffix != ".py"] or (
        [SpecsToCheck.at(None)] if suite else []
    )
    adapters = [path for path in paths if path.suffix == ".py"]
    targets = sorted(target_folders().values(), key=lambda target: target.folder) if suite else [*given.values()]
    adapters += dict.fromkeys(target.adapter for target in targets)
    problems: list[Problem] = []
    sentences: list[str] = []
    checked = [one for each in specs if (one := _check_specs(each, problems, sentences, what)) is not None]
    if suite and checked and not problems:
        sentences.append(_check_epoch(checked[0].catalogue, problems, update=what.update_epoch))
    if adapters:
        of_project = project().options.get("specs") if not suite and not specs else None
        own = (
            [SpecsToCheck.at(of_project)] if of_project is not None else [one for one in specs if one.path is not None]
        )
        sentences += _check_adapters(adapters, targets, own, problems, checked)
    if what.frameworks and not problems:
        for each in specs:
            sentences += _check_in_frameworks(loading.catalogue(each.path), problems)
        sentences += _check_variants(adapters, problems)
    if problems:
        raise invalid(set(problems))
    for one in checked:
        one.specs.note_passed(one.catalogue.operations)
    if what.update_listing:
        sentences.append(checked[0].specs.write_listing(checked[0].listing))
    for sentence in sentences:
        click.echo(f"ok: {sentence}")
    return 0


def _check_adapters(
    adapters: Sequence[Path],
    targets: Sequence[TargetFolder],
    own: Sequence[SpecsToCheck],
    problems: list[Problem],
    checked: Sequence[_Checked],
) -> list[str]:
    """Add the problems of adapters and of the known divergences beside them, and describe what was checked.

    own: specs besides those of the suite, whose operations the adapters may map.
    """
    catalogue = _catalogue_for_adapters(own, checked)
    beside = any(
        (folder / NAME).is_file()
        for folder in (*(path.parent for path in adapters), *(target.folder for target in targets))
    )
    cases = NamedCases(fact for each in (SpecsToCheck.at(None), *own) if beside for fact in _facts(each, checked))
    sentences = []
    for path in adapters:
        advice = f"An operation of your own needs its specs: conformance check SPECS {display_path(path)}"
        problems += check_adapter(path, catalogue, "" if own else advice)
        problems += loading.known_problems(path, cases)
        problems += file_problems(path)
        sentences.append(f"adapter {display_path(path)}")
    for target in targets:
        if target.folder != target.adapter.parent:
            problems += loading.known_problems(target.adapter, cases, target.folder)
            sentences.append(f"target {target.name}, which extends the one of {display_path(target.adapter)}")
    return sentences


def _target_at(path: Path) -> TargetFolder | None:
    """The target of a target.toml, or of a folder with one; ConformanceError with what is wrong in the file."""
    file = path / TARGET_TOML if path.is_dir() else path
    if file.name != TARGET_TOML or not file.is_file():
        return None
    try:
        load_definition(file)
    except TargetError as error:
        raise ConformanceError(str(error)) from None
    return TargetFolder(display_path(file), file.parent, "")


def _adapter_of(path: Path) -> Path | None:
    """The adapter of the target of this name, if there is no such path."""
    target = None if path.exists() else target_folders().get(str(path))
    return target.adapter if target is not None else None


def _check_specs(specs: SpecsToCheck, problems: list[Problem], sentences: list[str], what: What) -> _Checked | None:
    """Add the problems of specs, and describe what they contain; None if nothing of them can be read."""
    try:
        catalogue, spec_problems = load_sound_specs(specs.path)
    except SpecError as error:
        problems += error.problems
        return None
    passed = frozenset() if what.all or spec_problems else specs.passed(catalogue.operations)
    changed = catalogue.only(catalogue.operations.keys() - passed)
    spec_problems += [*check(catalogue), *_void_claims(catalogue)]
    # Drawn calls of a clause, and the expectation of a wrong call, would only repeat what the written calls show.
    clauses = {problem.clause for problem in spec_problems} - {None}
    cases = {problem.case for problem in spec_problems} - {None}
    spec_problems += [problem for problem in _draw_problems(changed) if problem.clause not in clauses]
    built, case_problems = _built(changed, catalogue)
    if not spec_problems and built:  # what is read of a file with mistakes may be another call than what is meant
        case_problems += contradicted(built, loading.reference_of(catalogue))
    spec_problems += [problem for problem in case_problems if problem.case not in cases]
    problems += spec_problems
    sentences.append(_description(catalogue, len(passed)))
    return _Checked(specs, catalogue, passed, built)


def _check_epoch(catalogue: Catalogue, problems: list[Problem], *, update: bool) -> str:
    """Add a problem if a published case went or changed, or publish what is there instead; describe the epoch."""
    written, _ = build_sound_cases(catalogue, loading.reference_of(catalogue), sources=WRITTEN)
    digests = written_digests(written)
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


def _check_variants(adapters: Sequence[Path], problems: list[Problem]) -> list[str]:
    """Add the problems of the variants that the tested versions have, and describe what was asked."""
    sentences = []
    for name, definition in definitions().items():
        if definition.adapter in adapters and definition.adapter.parent == definition.folder:
            found = check_variants(name, definition.adapter)
            if found is not None:
                problems += found.problems
                sentences.append(found.summary)
    return sentences


def _draw_problems(catalogue: Catalogue) -> list[Problem]:
    try:
        return check_draws(catalogue)
    except SpecError as error:  # an expression exceeds a limit
        return error.problems


def _built(changed: Catalogue, catalogue: Catalogue) -> tuple[Sequence[Case], list[Problem]]:
    """The cases that can be built, and the problems of the reference beside the specs, or of the cases that need it."""
    reference_problems = check_adapter(catalogue.reference, catalogue) if catalogue.reference else []
    try:
        return ([], reference_problems) if reference_problems else _sound_cases(changed)
    except SpecError as error:
        return [], error.problems


def _sound_cases(catalogue: Catalogue) -> tuple[Sequence[Case], list[Problem]]:
    return build_sound_cases(catalogue, loading.reference_of(catalogue))


def _catalogue_for_adapters(own: Sequence[SpecsToCheck], checked: Sequence[_Checked]) -> Catalogue:
    """The suite's specs, together with those that are checked in the same command."""
    read = {one.specs: one.catalogue for one in checked}
    suite = SpecsToCheck.at(None)
    combined = read[suite] if suite in read else loading.catalogue(None)
    for specs in own:
        with contextlib.suppress(SpecError):  # reported as a problem of the specs
            combined = loading.combined(combined, read.get(specs) or load_sound_specs(specs.path)[0])
    return combined


def _facts(specs: SpecsToCheck, checked: Sequence[_Checked]) -> Sequence[CaseFacts]:
    """Those of the cases that known divergences can match."""
    for one in checked:
        if one.specs == specs:
            return one.facts
    if specs.path is None:
        return loading.suite().facts
    try:
        return [case.facts for case in _sound_cases(load_sound_specs(specs.path)[0])[0]]
    except SpecError:
        return []  # reported as a problem of the specs


def _description(catalogue: Catalogue, passed: int) -> str:
    clauses = [clause for operation in catalogue.operations.values() for clause in operation.clauses]
    counts = {
        "operation": len(catalogue.operations),
        "clause": len(clauses),
        "case": sum(len(clause.written_calls) for clause in clauses),
        "document": len(catalogue.documents),
    }
    before = f"; the calls of {counted(passed, 'operation')} passed before and have not changed (--all repeats them)"
    return ", ".join(counted(count, noun) for noun, count in counts.items()) + (before if passed else "")
