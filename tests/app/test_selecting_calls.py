"""``--api``, ``--smoke`` and ``--large``: which calls of which cases a run makes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.app.errors import ConformanceError
from conformance.app.options import RunOptions
from conformance.app.run import load_inputs, plan
from conformance.data_folders import suite_operations
from conformance.execution.plan import Plan
from conformance.results.exit_status import NOTHING_SELECTED
from conformance.specification.adapter_files import mapped_operations
from conformance.specification.model import Raises
from tests.execution.harness import FAKES, run_adapters


def planned(*words: str, **options: object) -> Plan:
    chosen = RunOptions(words=words, output=Path("unused"), here=True, **options)  # type: ignore[arg-type]
    return plan(chosen, load_inputs(chosen), words)


def test_a_smoke_run_makes_one_call_that_breaks_each_rule_with_its_control() -> None:
    cases = planned("reference", smoke=True).cases
    clauses = [case.clause.id for case in cases]
    assert len(clauses) == len(set(clauses)) > 20
    assert all(case.clause.family == "rule" for case in cases)
    assert all(isinstance(case.expectation, Raises) and case.control is not None for case in cases)


def test_a_pattern_of_apis_selects_the_cases_of_their_operations_and_their_calls() -> None:
    made = planned("torch", apis=("torch.gather*", "torch.Tensor.scatter_"))
    assert {case.operation.name for case in made.cases} == {
        "gather_elements",
        "scatter_elements",
        "take_into",
        "take_into_view",
    }
    called = [name for name in ("torch.gather", "torch.gather(out=)", "torch.take_along_dim") if made.calls(name)]
    assert called == ["torch.gather", "torch.gather(out=)"]


def test_only_apis_that_match_are_called_and_all_are_listed(tmp_path: Path) -> None:
    results = run_adapters(tmp_path, [FAKES / "kills_its_parent.py"], apis=("kills.no*",))
    assert {result.api for result in results.results} == {"kills.nothing"}
    assert {mapping.api for mapping in results.mappings} == {"kills.nothing", "kills.parent"}


def test_without_a_pattern_every_api_is_called() -> None:
    assert planned("torch", operations=("gather_nd",)).calls("torch.gather")


def test_a_pattern_that_no_api_matches_names_the_nearest() -> None:
    with pytest.raises(
        ConformanceError, match=r"--api torch.gahter: no target maps such an API; did you mean 'torch.gather'"
    ) as told:
        planned("torch", "jax", apis=("torch.gahter",))
    assert told.value.status == NOTHING_SELECTED


def test_two_selections_that_exclude_each_other_are_refused() -> None:
    with pytest.raises(ConformanceError, match="--quick and --smoke select different cases; use one of them"):
        planned("reference", quick=True, smoke=True)
    with pytest.raises(ConformanceError, match="--smoke and --large select different cases; use one of them"):
        planned("reference", smoke=True, large=True)


def test_a_run_of_large_calls_makes_no_others_and_one_target_at_a_time() -> None:
    made = planned("reference", "numpy", large=True, operations=("index_select", "take"))
    assert {case.id.rpartition("/")[2].partition(".")[0] for case in made.cases} == {"large"}
    assert all(case.size > 2**31 for case in made.cases)
    assert made.concurrency == 1
    assert not any(case.size > 2**30 for case in planned("reference", operations=("take",)).cases)


def test_a_run_of_one_operation_knows_the_ids_of_all_cases_and_reads_those_of_one() -> None:
    chosen = RunOptions(words=("reference",), output=Path("unused"), here=True, operations=("gather_nd",))
    inputs = load_inputs(chosen)
    assert {case.operation.name for case in inputs.cases} == {"gather_nd"}
    assert {fact.operation_name for fact in inputs.all_cases} == {*suite_operations()}
    drawn = load_inputs(replace(chosen, draws=1))
    written = {fact.id for fact in drawn.all_cases if not fact.generated}
    assert written == {fact.id for fact in inputs.all_cases}
    assert {fact.operation_name for fact in drawn.all_cases if fact.generated} == {"gather_nd"}


def test_only_the_operations_that_a_target_maps_are_read(tmp_path: Path) -> None:
    adapter = FAKES / "kills_its_parent.py"
    chosen = RunOptions(words=(str(adapter),), output=tmp_path, here=True)
    mapped = mapped_operations(adapter)
    assert mapped
    inputs = load_inputs(chosen)
    assert {case.operation.name for case in inputs.cases} == mapped == inputs.catalogue.operations.keys()
    assert load_inputs(replace(chosen, words=()), [str(adapter)]).cases == inputs.cases


def test_what_no_target_maps_is_read_so_that_the_report_can_say_so(tmp_path: Path) -> None:
    words = (str(FAKES / "kills_its_parent.py"), "masked_select.example")
    inputs = load_inputs(RunOptions(words=words, output=tmp_path, here=True))
    assert {case.operation.name for case in inputs.cases} == {"masked_select"}


@pytest.mark.parametrize(
    "more",
    [
        "for name in NAMES:\n    api(name, operation='take')(f)\n",
        "from other import *\n",
        "from other import scatter\n",
        "from .other import scatter\n",
        "from conformance.adapter import api as mapped\n",
        "if hasattr(numpy, 'take'):\n    @api('numpy.take', operation='take')\n    def take(input, index):\n        pass\n",
        "def (",
    ],
)
def test_an_adapter_whose_text_does_not_say_what_it_maps_may_map_anything(tmp_path: Path, more: str) -> None:
    text = (
        "from conformance.adapter import api\n\n\n@api('one', operation='take')\ndef one(input, index):\n    pass\n\n\n"
    )
    adapter = tmp_path / "adapter.py"
    adapter.write_text(f"{text}from functools import cache\nfrom conformance.worker.forms import only\nimport other\n")
    assert mapped_operations(adapter) == frozenset({"take"})
    adapter.write_text(text + more)
    assert mapped_operations(adapter) is None
