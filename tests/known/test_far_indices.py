"""What OpenVINO does with an index far below the data depends on the memory there, so that its ledger has both outcomes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.cases.facts import CaseFacts
from conformance.data_folders import adapters_folder
from conformance.known.ledger import Ledger
from conformance.known.load import known_beside
from conformance.outcomes.model import Died, Returned
from conformance.results.records import MappingRecord, ResultRecord, TargetRecord

CASE = "scatter_elements.rule.index-range/form.smallest-int16"
TARGET = TargetRecord("openvino==2026.4.1@cpu", "openvino", "2026.4.1", "cpu", "static")
RETURNED = ResultRecord(
    case=CASE,
    target=TARGET.id,
    api="openvino.opset3.scatter_elements_update",
    clause="scatter_elements.rule.index-range",
    outcome=Returned("int64", (7,), "0"),
    verdict="diverges",
    standing="own",
    divergence=["accepted"],
    behaviour="ignores",
)
MAPPING = MappingRecord(TARGET.id, RETURNED.api, "scatter_elements", composed=False, source="")
DIED = replace(RETURNED, outcome=Died(signal="SIGSEGV"), verdict="died", divergence=[], behaviour=None)


@pytest.mark.parametrize("result", [RETURNED, DIED], ids=["returned", "died"])
@pytest.mark.parametrize("passed", ["", ".constant.index"])
def test_a_write_far_below_the_data_is_known_whether_it_returns_or_ends_the_process(
    result: ResultRecord, passed: str
) -> None:
    facts = CaseFacts(
        id=CASE + passed,
        clause_id=result.clause,
        operation_name="scatter_elements",
        dtypes=frozenset({"int64"}),
        generated=False,
        original=CASE if passed else None,
    )
    ledger = Ledger(known_beside(adapters_folder() / "openvino" / "adapter.py"), TARGET, [facts], [MAPPING])
    assert ledger.known(replace(result, case=facts.id)).known is not None
