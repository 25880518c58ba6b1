"""check --frameworks: what only a framework can show of the documents."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.command import conformance
from tests.specification.small import DOCUMENTS, changed, write_specs

PROGRAM = changed(DOCUMENTS, "untestable: It was lost.", "program: assert json")


def test_a_framework_without_a_target_is_an_error_that_lists_the_available_ones(tmp_path: Path) -> None:
    done = conformance("check", write_specs(tmp_path, documents=PROGRAM), "--frameworks", cwd=tmp_path)
    assert done.status == 4
    assert "unknown framework 'json'. Available frameworks: " in done.err


def test_without_the_option_no_framework_is_needed(tmp_path: Path) -> None:
    assert conformance("check", write_specs(tmp_path, documents=PROGRAM), cwd=tmp_path).status == 0


def test_specs_without_such_claims_need_no_framework(tmp_path: Path) -> None:
    assert conformance("check", write_specs(tmp_path), "--frameworks", cwd=tmp_path).status == 0


def test_a_claim_with_a_program_is_traced_to_it(tmp_path: Path) -> None:
    write_specs(tmp_path, documents=PROGRAM)
    out = conformance("trace", "--specs", tmp_path, cwd=tmp_path).out
    assert "4 claims: 3 tested by 3 clauses with 4 cases, 1 by a program, 0 not testable" in out
    assert "             a program: conformance check --frameworks" in out
    [document] = json.loads(conformance("trace", "--json", "--specs", tmp_path, cwd=tmp_path).out)["documents"]
    assert {claim["locator"]: claim["program"] for claim in document["claims"]}["figure"] == "assert json"
