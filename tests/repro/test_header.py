"""The comment of a script cites what its reader is responsible for."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cases.model import Case
from conformance.cases.reference import load_reference
from conformance.cases.written import written_cases
from conformance.data_folders import adapters_folder
from conformance.environments.definition import definitions
from conformance.environments.prepared_target import Prepared
from conformance.environments.resolve import resolve
from conformance.outcomes.model import Died, Outcome, Outside
from conformance.repro.header import header, inline_metadata
from conformance.results.observed import CaseResult
from conformance.results.records import KnownRecord, ResultRecord, TargetRecord
from conformance.specification.loader import load_specs
from conformance.specification.model import Citation
from tests.execution.harness import THIS_ENVIRONMENT, WRONG_ADAPTERS, job
from tests.outcomes import returned

CASE = "gather_elements.rule.index-range/keep.the-only-position"


@pytest.fixture(scope="module")
def case() -> Case:
    operation = load_specs().operations["gather_elements"]
    reference = load_reference(adapters_folder() / "reference" / "adapter.py")
    return next(case for case in written_cases(operation, reference) if isinstance(case, Case) and case.id == CASE)


def header_of(
    case: Case,
    api: str,
    known: KnownRecord | None = None,
    outcome: Outcome = Died(signal="SIGSEGV"),  # noqa: B008 # frozen
) -> str:
    result = ResultRecord(case.id, "t", api, case.clause.id, outcome, "died", "portability")
    target = TargetRecord("t", "frame", "1.0", "cpu", "eager")
    prepared = Prepared(job(WRONG_ADAPTERS / "misbehaving.py").target, THIS_ENVIRONMENT)
    return "\n".join(header(CaseResult(case, result, target, [], known), prepared))


def test_the_versions_have_what_a_derived_target_adds(case: Case, tmp_path: Path) -> None:
    (tmp_path / "target.toml").write_text(
        'extends = "torch"\ntitle = "PyTorch/XLA"\nextra = ["torch_xla==2.9.0", "not-there"]\n'
    )
    [target] = resolve([str(tmp_path / "target.toml")], definitions())
    result = ResultRecord(case.id, "t", "torch.gather", case.clause.id, returned([1]), "diverges", "portability")
    packages = {"torch": "2.9.0+cpu", "torch-xla": "2.9.0"}
    record = TargetRecord("t", "torch", "2.9.0+cpu", "cpu", "eager", "3.11.7", "2.4.6", packages)
    text = "\n".join(header(CaseResult(case, result, record, [], None), Prepared(target, THIS_ENVIRONMENT)))
    assert "Observed with torch 2.9.0+cpu, torch_xla 2.9.0, NumPy 2.4.6, Python 3.11.7" in text


def test_an_api_with_documents_of_its_own_is_held_to_these_alone(case: Case) -> None:
    text = header_of(case, "torch.gather")
    assert "An index of 2 along an axis of two elements is a RuntimeError" in text
    assert "tf.gather" not in text


def test_where_it_has_none_the_first_official_document_is_cited_and_a_command_names_the_others(case: Case) -> None:
    first = next(citation.document for citation in case.clause.citations if citation.document.official)
    text = header_of(case, "frame.gather")
    assert f"Documented, about {first.describes[0]}" in text
    assert "Described" not in text
    assert "The same in 1 other document: conformance trace gather_elements.rule.index-range\n" in text


@pytest.mark.parametrize(
    ("link", "where"),
    [
        ("https://example.org/issues/65667", "reported at https://example.org/issues/65667"),
        ("unreported", "not yet reported"),
    ],
)
def test_what_is_known_is_said_with_where_it_is_reported(case: Case, link: str, where: str) -> None:
    known = KnownRecord("frame", "reads-outside", "It reads\n  outside.", link, "divergences.yaml:3")
    assert f"Known, {where}: It reads outside.\n" in header_of(case, "torch.gather", known)
    assert "Known" not in header_of(case, "torch.gather")


def test_what_memcheck_saw_comes_with_the_command_line_of_valgrind(case: Case) -> None:
    line = "Memcheck shows it: PYTHONMALLOC=malloc OMP_NUM_THREADS=1 valgrind -q --tool=memcheck"
    seen = returned(outside=(Outside("input", "read", 1, by="memcheck"),))
    assert line in header_of(case, "torch.gather", outcome=seen)
    assert "Memcheck" not in header_of(
        case, "torch.gather", outcome=replace(seen, outside=(Outside("input", "wrote", 1),))
    )


def test_the_packages_of_a_script_are_those_that_the_definition_names_without_labels_of_builds() -> None:
    [target] = resolve(["torch==2.13.0"], definitions())
    packages = {"numpy": "2.4.6", "torch": "2.13.0+cpu", "sympy": "1.14.0"}
    environment = replace(
        THIS_ENVIRONMENT, folder=Path("torch"), python_version="3.11.7", version="2.13.0+cpu", packages=packages
    )
    lines = inline_metadata(Prepared(target, environment)).splitlines()
    content = tomllib.loads("\n".join(line.removeprefix("#").removeprefix(" ") for line in lines[1:-1]))
    assert (lines[0], lines[-1]) == ("# /// script", "# ///")
    index = {"name": "torch-cpu", "url": "https://download.pytorch.org/whl/cpu", "explicit": True}
    assert content == {
        "requires-python": "==3.11.*",
        "dependencies": ["torch==2.13.0", "numpy==2.4.6"],
        "tool": {"uv": {"index": [index], "sources": {"torch": {"index": "torch-cpu"}}}},
    }


def test_a_build_of_pypi_needs_no_index() -> None:
    [target] = resolve(["torch==2.13.0"], definitions())
    environment = replace(THIS_ENVIRONMENT, folder=Path("torch"), version="2.13.0", packages={"torch": "2.13.0"})
    assert "index" not in inline_metadata(Prepared(target, environment))


def test_what_its_developers_say_stands_before_what_others_say(case: Case) -> None:
    about = [one for one in load_specs().documents.values() if "torch.gather" in one.describes]
    unofficial, official = (next(one for one in about if one.official is wanted) for wanted in (False, True))
    citations = tuple(Citation(one, next(iter(one.claims.values()))) for one in (unofficial, official))
    text = header_of(replace(case, clause=replace(case.clause, citations=citations)), "torch.gather")
    assert 0 < text.index(f"Documented in {official.title}") < text.index(f"Described in {unofficial.title}")


def test_a_script_for_the_users_own_adapter_names_no_packages() -> None:
    assert inline_metadata(Prepared(job(WRONG_ADAPTERS / "misbehaving.py").target, THIS_ENVIRONMENT)) == ""
