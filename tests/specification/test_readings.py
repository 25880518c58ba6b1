"""What the documentation of several APIs says in the same words binds all of them alike."""

from __future__ import annotations

from pathlib import Path

from conformance.specification.loader import load_specs
from conformance.specification.readings import check_readings
from tests.specification.small import DOCUMENTS, SPEC, changed, write_specs

SENTENCE = "klmnopqr"
SISTER = """
  json.sister:
    title: Another page with the same sentence
    official: true
    framework: json
    describes: [json.sister]
    claims:
      rank: Index has as many axes as input.
"""
ERRATUM = """\
    errata:
      odd:
        place: below
        printed: One thing.
        adopted: Another.
        proof: {observation: {reason: A word is missing.}}
"""
RESTS_OF_SISTER = f"json.sister claims rank json.sister {SENTENCE}"
RESTS_OF_ERRATUM = f"json.page errata odd json.gather {SENTENCE}"
RESTS_OF_RANK = f"json.page claims rank json.gather {SENTENCE}"


def _found(folder: Path, documents: str, *rests: str, spec: str = SPEC) -> list[str]:
    specs = load_specs(write_specs(folder, documents=documents, spec=spec, rests=rests))
    return [str(problem) for problem in check_readings(specs)]


def test_an_erratum_of_one_api_is_no_claim_of_another_by_the_same_sentence(tmp_path: Path) -> None:
    spec = changed(SPEC, "{json.page: [rank, example.1]}", "{json.page: [rank, example.1], json.sister: [rank]}")
    [problem] = _found(tmp_path, DOCUMENTS + ERRATUM + SISTER, RESTS_OF_ERRATUM, RESTS_OF_SISTER, spec=spec)
    assert "json.page, erratum odd: json.sister#rank is a claim by the same sentence" in problem


def test_a_stated_reason_allows_two_readings_and_is_refused_where_there_is_one(tmp_path: Path) -> None:
    spec = changed(SPEC, "{json.page: [rank, example.1]}", "{json.page: [rank, example.1], json.sister: [rank]}")
    stated = changed(ERRATUM, "        proof:", "        elsewhere: The sister has this rank.\n        proof:")
    assert _found(tmp_path / "two", DOCUMENTS + stated + SISTER, RESTS_OF_ERRATUM, RESTS_OF_SISTER, spec=spec) == []
    [problem] = _found(tmp_path / "one", DOCUMENTS + stated, RESTS_OF_ERRATUM)
    assert "no other document makes a claim of its sentences; remove elsewhere" in problem


def test_a_sentence_corrected_and_claimed_by_the_same_document_has_one_reading(tmp_path: Path) -> None:
    assert _found(tmp_path, DOCUMENTS + ERRATUM, RESTS_OF_RANK, RESTS_OF_ERRATUM) == []


def test_what_is_an_error_for_one_api_is_not_only_observed_for_another(tmp_path: Path) -> None:
    documents, rests = DOCUMENTS + SISTER, (RESTS_OF_RANK, RESTS_OF_SISTER)
    rule = SPEC[SPEC.index("  rank:\n") :]
    observed = rule.replace("  rank:\n", "  sister-rank:\n").replace(
        "{json.page: [rank, example.1]}", "{json.sister: [rank]}"
    )
    observed = changed(
        observed,
        '    require: "index.rank == input.rank"\n',
        '    require: "index.rank == 1"\n    otherwise: observed\n',
    )
    [problem] = _found(tmp_path, documents, *rests, spec=SPEC + observed)
    assert (
        "gather_elements.rule.sister-rank: json.sister#rank is only observed, while json.page#rank says it" in problem
    )
    judged = changed(SPEC, "{json.page: [rank, example.1]}", "{json.page: [rank, example.1], json.sister: [rank]}")
    assert _found(tmp_path / "judged", documents, *rests, spec=judged) == []
