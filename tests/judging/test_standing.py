"""Own where an official page that speaks of this version describes this very API; else a fact for porters."""

from __future__ import annotations

from dataclasses import replace

import pytest
from packaging.specifiers import SpecifierSet

from conformance.cases.expectations import Returns
from conformance.cases.model import Case
from conformance.judging.standing import (
    DescribedApi,
    concerns,
    excluding,
    kept,
    other_errors,
    promises_of,
    standing_of,
)
from conformance.specification.applied import Applied
from conformance.specification.expressions import compile_expression
from conformance.specification.literals import tensor
from conformance.specification.loader import load_specs
from conformance.specification.model import Call, Citation, Clause, Observed, Operation, Raises, Rule
from tests.execution.harness import fake_cases

CLAUSE = next(case.clause for case in fake_cases() if case.clause.id.endswith(".outside"))


def _clause(*, official: bool = True, versions: str = ">=2", claim_versions: str | None = None) -> Clause:
    [citation] = CLAUSE.citations
    document = replace(
        citation.document, official=official, versions=SpecifierSet(versions), framework="tf", describes=("tf.f",)
    )
    claim = replace(citation.claim, versions=SpecifierSet(claim_versions) if claim_versions else None)
    return replace(CLAUSE, citations=(Citation(document, claim),))


def _of(case: Case, operation: Operation) -> Case:
    """The case with another spec of its operation."""
    control = Applied(operation, case.control.call) if case.control is not None else None
    return replace(case, call=Applied(operation, case.call.call), control=control)


def _resting(*sentences: str) -> Clause:
    clause = _clause()
    [citation] = clause.citations
    claim = replace(citation.claim, rests={"tf.f": sentences})
    return replace(clause, citations=(Citation(citation.document, claim),))


def test_an_argument_stays_where_a_document_about_the_api_says_so() -> None:
    [citation] = _clause().citations
    promise = Citation(
        replace(citation.document, claims={"new": replace(citation.claim, keeps=("input",))}), citation.claim
    )
    operation = replace(fake_cases()[0].operation, clauses=(replace(CLAUSE, citations=(promise,)),))
    assert kept(operation, DescribedApi("tf", "2.5", "tf.f")) == {"input"}
    assert kept(operation, DescribedApi("tf", "2.5", "tf.g")) == set()
    assert kept(operation, DescribedApi("tf", "1.0", "tf.f")) == set()


def _standing(
    clause: Clause,
    *,
    framework: str = "tf",
    version: str | None = "2.5",
    api: str = "tf.f",
    follows: str | None = None,
    composed: bool = False,
    derived: bool = False,
    spoken: tuple[str, ...] = (),
) -> str:
    described = DescribedApi(framework, version, api, follows, spoken)
    return standing_of(clause, described, composed=composed, derived=derived)


def test_the_described_api_of_a_version_that_the_page_speaks_of_is_held_to_it() -> None:
    assert _standing(_clause()) == "own"


@pytest.mark.parametrize("version", ["2.5+cpu", "3.0rc1", "2"])
def test_builds_and_prereleases_count_as_their_version(version: str) -> None:
    assert _standing(_clause(), version=version) == "own"


@pytest.mark.parametrize("version", ["1.15", None, "unknown"])
def test_another_version_is_not(version: str | None) -> None:
    assert _standing(_clause(), version=version) == "portability"


def test_a_page_of_all_versions_binds_an_unknown_one() -> None:
    assert _standing(_clause(versions=""), version=None) == "own"


def test_a_claim_that_the_page_no_longer_makes_does_not_bind() -> None:
    assert _standing(_clause(claim_versions="<2.4")) == "portability"


def test_an_unofficial_page_binds_by_its_worked_examples_only() -> None:
    example = _clause(official=False)
    assert example.family == "example"
    assert _standing(example) == "printed"
    assert _standing(example, derived=True) == "portability"
    assert _standing(example, composed=True) == "portability"
    assert _standing(example, api="tf.g") == "portability"
    assert _standing(replace(example, family="rule")) == "portability"


def test_another_api_is_not_held_to_it_unless_it_says_that_it_follows() -> None:
    assert _standing(_clause(), api="tf.g") == "portability"
    assert _standing(_clause(), api="tf.g", follows="tf.f") == "own"


def test_what_is_composed_of_several_calls_is_nobodys_bug() -> None:
    assert _standing(_clause(), composed=True) == "portability"


def test_a_backend_that_follows_another_frameworks_page_is_held_to_it_in_any_version() -> None:
    assert _standing(_clause(), framework="mine", version="0.1", api="mine.f", follows="tf.f") == "own"
    assert _standing(_clause(), framework="mine", version="0.1", api="tf.f") == "portability"


def test_a_claim_that_rests_on_sentences_binds_a_version_whose_documentation_has_them() -> None:
    clause = _resting("klmnopqr")
    [citation] = clause.citations
    assert _standing(clause, spoken=(str(citation),)) == "own"
    assert _standing(clause) == "portability"


def test_such_a_claim_still_needs_a_version_in_the_range_of_its_document() -> None:
    clause = _resting("klmnopqr")
    assert _standing(clause, spoken=(str(clause.citations[0]),), version="1.0") == "portability"


def test_a_backend_is_held_to_those_sentences_of_another_framework_that_speak_of_it() -> None:
    clause = _resting("klmnopqr")
    spoken = tuple(map(str, clause.citations))
    assert _standing(clause, framework="mine", api="mine.f", follows="tf.f", spoken=spoken) == "own"
    assert _standing(clause, framework="mine", api="mine.f", follows="tf.f") == "portability"
    assert _standing(clause, framework="mine", api="mine.f", spoken=spoken) == "portability"


@pytest.mark.parametrize(("api", "composed"), [("tf.f", True), ("tf.g", False)])
def test_a_clause_about_one_documentation_is_tried_on_its_apis_alone(api: str, composed: bool) -> None:
    case = replace(fake_cases()[0], clause=_clause())
    only_documented = replace(case, clause=replace(case.clause, only_documented=True))
    assert concerns(only_documented, DescribedApi("tf", "2.5", "tf.f"), composed=False)
    assert not concerns(only_documented, DescribedApi("tf", "2.5", api), composed=composed)
    assert concerns(case, DescribedApi("tf", "2.5", api), composed=composed)


def test_a_call_that_breaks_a_rule_of_some_apis_alone_is_made_on_the_others_and_where_the_rule_is_tested() -> None:
    some = next(case for case in fake_cases() if "input" in case.call.arguments)
    many_axes = compile_expression("input.rank == 9", some.operation.arguments)
    rule = Rule("many-axes", many_axes, None, Raises(), (), only_documented=True)
    documented = replace(_clause(), rule=rule, only_documented=True)
    operation = replace(some.operation, clauses=(documented,))
    elsewhere = _of(some, operation)
    assert [clause.id for clause in elsewhere.broken_promises] == [documented.id]
    assert not elsewhere.call.broken_rules
    assert not concerns(elsewhere, DescribedApi("tf", "2.5", "tf.f"), composed=False)
    assert concerns(elsewhere, DescribedApi("tf", "2.5", "tf.f"), composed=True)
    assert concerns(elsewhere, DescribedApi("tf", "2.5", "tf.g"), composed=False)
    of_the_rule = replace(elsewhere, clause=documented)
    assert concerns(of_the_rule, DescribedApi("tf", "2.5", "tf.f"), composed=False)
    assert not concerns(of_the_rule, DescribedApi("tf", "2.5", "tf.g"), composed=False)


def _breaking_two_rules() -> Case:
    """A call of a clause that no document of ``tf.f`` makes, which breaks two rules, one of which a document of it makes.

    Its ``dim`` is 0, and 1 in its control, which keeps all rules.
    """
    case = next(case for case in fake_cases() if case.clause.id == CLAUSE.id)
    case = replace(case, control=case.call.with_arguments({"dim": 1}))
    clauses = [case.clause]
    for name, requires, documented in (
        ("first", "dim == 1", True),
        ("other", "dim > 0", False),
        ("kept", "dim < 2", True),
    ):
        rule = Rule(name, compile_expression(requires, frozenset({"dim"})), None, Raises(), ())
        citations = _clause().citations if documented else CLAUSE.citations
        clauses.append(replace(CLAUSE, name=name, id=f"gather_elements.rule.{name}", rule=rule, citations=citations))
    return _of(case, replace(case.operation, clauses=tuple(clauses)))


def test_a_call_breaks_the_documentation_of_an_api_by_any_rule_that_a_document_of_it_makes() -> None:
    case = _breaking_two_rules()
    assert [clause.name for clause in other_errors(case)] == ["first", "other"]
    about = DescribedApi("tf", "2.5", "tf.f")
    assert promises_of(other_errors(case), about, None) == _clause().citations
    assert promises_of(other_errors(case), DescribedApi("tf", "2.5", "tf.g"), None) == ()


def test_a_behaviour_that_is_an_error_counts_as_a_rule_where_its_condition_does_not_hold() -> None:
    case = _breaking_two_rules()

    def errors(require: str) -> list[str]:
        behaviour = replace(_clause(), name="error", rule=None, require=compile_expression(require, frozenset({"dim"})))
        return [one.name for one in other_errors(_of(case, replace(case.operation, clauses=(behaviour,))))]

    assert errors("dim != 0") == ["error"]
    assert errors("dim == 0") == []
    assert errors("dim == 5") == [], "its control violates it too"
    assert errors("dim.shape == (1,)") == [], "it cannot be evaluated"


def test_a_rule_that_the_control_breaks_too_is_not_what_makes_the_call_an_error() -> None:
    case = _breaking_two_rules()
    assert case.control is not None
    breaking = case.control.with_arguments({"dim": -1})
    assert [clause.name for clause in breaking.errors] == ["first", "other"]
    assert other_errors(replace(case, control=breaking)) == ()


def test_a_call_that_should_return_is_not_held_to_rules_that_it_breaks_but_may_be_an_error_on_some_apis() -> None:
    case = _breaking_two_rules()
    result = Returns(tensor("int32", [1]), False, "spec")
    assert other_errors(replace(case, expectation=result)) == ()
    behaviour = replace(_clause(), name="error", require=compile_expression("dim == 5", frozenset({"dim"})))
    clauses = (*case.operation.clauses, behaviour)
    valid = replace(_of(case, replace(case.operation, clauses=clauses)), expectation=result)
    assert other_errors(valid) == (behaviour,)


def test_a_rule_without_a_consequence_makes_no_call_an_error() -> None:
    case = _breaking_two_rules()
    broken = [
        replace(clause, rule=clause.rule and replace(clause.rule, broken=Observed("open")))
        for clause in case.operation.clauses
    ]
    assert other_errors(_of(case, replace(case.operation, clauses=tuple(broken)))) == ()


def test_a_claim_about_gpus_says_nothing_of_a_call_for_all_devices() -> None:
    case = _breaking_two_rules()
    [citation] = _clause().citations
    on_gpu = Citation(citation.document, replace(citation.claim, device="gpu"))
    rules = [replace(clause, citations=(on_gpu,)) for clause in other_errors(case)]
    about = DescribedApi("tf", "2.5", "tf.f")
    assert promises_of(rules, about, None) == ()
    assert promises_of(rules, about, "gpu") == (on_gpu, on_gpu)


@pytest.mark.parametrize(
    ("operation", "index", "excluded"),
    [
        ("tensor_scatter_nd_update", [[1], [1]], True),
        ("tensor_scatter_nd_update", [[1], [0]], False),
        ("tensor_scatter_nd_add", [[1], [1]], False),
    ],
)
def test_what_a_document_leaves_undefined_for_duplicates_has_no_right_derivative_unless_they_add_up(
    operation: str, index: list[list[int]], excluded: bool
) -> None:
    tensors = {"tensor": tensor("float32", [1, 2, 3]), "updates": tensor("float32", [4, 5])}
    call = Call({**tensors, "indices": tensor("int64", index)})
    described = DescribedApi("torch", "2.13.0", "torch.index_put", spoken=("torch.Tensor.index_put_#duplicates",))
    applied = Applied(load_specs().operations[operation], call)
    citation = excluding(applied, described)
    assert (str(citation) if citation else None) == ("torch.Tensor.index_put_#duplicates" if excluded else None)
    # The page says that an assignment does the same.
    assert excluding(applied, DescribedApi("torch", "2.13.0", "torch.Tensor.__setitem__")) == citation
    assert excluding(applied, DescribedApi("torch", "2.13.0", "torch.scatter")) is None


@pytest.mark.parametrize(
    ("official", "versions", "binds"), [(True, None, True), (True, ">=2.14", False), (False, None, False)]
)
def test_another_api_that_a_claim_names_is_bound_by_an_official_document_of_its_version(
    official: bool, versions: str | None, binds: bool
) -> None:
    operation = load_specs().operations["tensor_scatter_nd_update"]
    given = {"tensor": tensor("float32", [1, 2]), "indices": tensor("int64", [[1], [1]])}
    call = Call({**given, "updates": tensor("float32", [4, 5])})
    described = DescribedApi("torch", "2.13.0", "torch.Tensor.__setitem__")
    citation = excluding(Applied(operation, call), described)
    assert citation is not None
    claim = replace(citation.claim, versions=SpecifierSet(versions) if versions else None)
    document = replace(citation.document, official=official, claims={claim.locator: claim})
    clause = replace(operation.clauses[0], citations=(Citation(document, claim),))
    about = replace(operation, clauses=(clause,))
    assert (excluding(Applied(about, call), described) is not None) == binds


@pytest.mark.parametrize(
    ("api", "spoken"),
    [("torch.Tensor.__setitem__", ()), ("mindspore.ops.scatter_update", ("mindspore.ops.scatter_update#duplicates",))],
)
def test_what_a_page_calls_undefined_binds_none_of_its_apis(api: str, spoken: tuple[str, ...]) -> None:
    tensors = {"input": tensor("float32", [1, 2, 3]), "source": tensor("float32", [4, 5])}
    described = DescribedApi(api.partition(".")[0], "2.13.0", api, spoken=spoken)
    for index, excluded in (([1, 1], True), ([1, 0], False)):
        call = Call({**tensors, "dim": 0, "index": tensor("int64", index)})
        citation = excluding(Applied(load_specs().operations["index_copy"], call), described)
        assert (citation is not None) == excluded
