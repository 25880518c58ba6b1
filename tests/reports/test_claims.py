"""The page's links between clauses and the claims of documents, both ways."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from urllib.parse import unquote

from conformance.reports.html import index_html
from conformance.reports.html.claims import address_of, claim_id, clause_id, documents
from conformance.reports.html.overview import operations
from conformance.reports.html.payload import payload
from conformance.results.file import Results
from conformance.results.records import CitationRecord, ClaimRecord, ErratumRecord
from conformance.results.table import Table
from tests.reports.sample import sample
from tests.reports.sample_cases import HOSTILE
from tests.reports.sample_questions import results_to_ask
from tests.reports.test_page import Parsed

SHAPE = "scatter_nd.rule.updates-shape"


def addresses(page: Parsed, kind: str) -> list[str]:
    found = [str(one["href"]) for one in page.all("a")]
    return [unquote(address[1:]) for address in found if address.startswith(f"#{kind}/")]


def identifiers(page: Parsed) -> Counter[str]:
    return Counter(str(attributes["id"]) for _, attributes in page.elements if "id" in attributes)


def citing(*citations: CitationRecord) -> Results:
    results = sample()
    clause = replace(results.clauses[SHAPE], citations=list(citations))
    return replace(results, clauses={SHAPE: clause})


def test_every_link_to_a_clause_or_a_claim_leads_to_one_element_of_the_page() -> None:
    page = Parsed(index_html(sample()))
    there = identifiers(page)
    linked = [*addresses(page, "clause"), *addresses(page, "claim")]
    assert linked
    assert {name: there[name] for name in linked} == dict.fromkeys(linked, 1)


def test_each_clause_is_linked_from_every_claim_that_it_cites_and_each_citation_in_the_panel_links_back() -> None:
    results = sample()
    cited = Counter(
        clause_id(clause)
        for clause in results.clauses.values()
        for _ in {(one.document, one.locator) for one in clause.citations}
    )
    page = Parsed(index_html(results))
    assert Counter(addresses(page, "clause")) == cited
    there = identifiers(page)
    citations = [one for clause in payload(results)["clauses"] for one in clause["citations"]]
    assert citations
    assert all(there[unquote(one["claim"][1:])] == 1 for one in citations)


def test_each_row_of_a_matrix_links_each_document_that_its_clause_cites() -> None:
    results = sample()
    matrices = index_html(results).partition('<div id="matrices">')[2].partition('<div data-view="documents">')[0]
    rows = re.findall(r'href="#claim/', matrices)
    assert len(rows) == sum(len({one.document for one in clause.citations}) for clause in results.clauses.values())


def test_a_finding_links_the_claim_of_its_own_documentation_that_it_breaks() -> None:
    results = results_to_ask()
    findings = index_html(results).partition('id="findings-title"')[2].partition("</section>")[0]
    assert "#claim/torch.gather/out-of-bounds" in findings
    assert "1 sentence that ships with it since 2.13.0, the oldest tested" in findings
    unread = [replace(one, sentences={"torch.gather": ["other"]}) for one in results.targets]
    assert (
        "#claim/"
        not in index_html(replace(results, targets=unread))
        .partition('id="findings-title"')[2]
        .partition("</section>")[0]
    )


def test_a_claim_has_the_cases_and_the_results_of_its_clauses_by_what_they_came_to() -> None:
    claim = CitationRecord("A", "updates.shape", "Updates have a shape.", official=True)
    [document] = documents(citing(claim))
    [[tested]] = [one.tested for one in document.claims]
    results = [one for one in sample().results if one.clause == SHAPE]
    assert tested.cases == sum(case.clause == SHAPE for case in sample().cases.values())
    assert tested.results == len(results)
    assert tested.counts["portability"] == sum(
        one.verdict == "diverges" and one.standing == "portability" for one in results
    )
    assert (tested.counts["portability"], tested.counts["hung"]) == (1, 1)


def test_a_document_counts_a_clause_once_that_cites_it_twice() -> None:
    claims = [CitationRecord("A", place, "So it is.", official=True) for place in ("one", "two")]
    [document] = documents(citing(*claims))
    assert [claim.record.locator for claim in document.claims] == ["one", "two"]
    assert document.clauses == 1
    assert document.counts == document.claims[0].tested[0].counts


def test_the_page_says_what_a_claim_says_where_it_stands_and_how_the_targets_fared() -> None:
    page = Parsed(index_html(citing(CitationRecord("A", "here.there", "Updates have a shape.", official=False))))
    text = " ".join(page.text.split())
    for part in ("(not official)", "Updates have a shape.", "here. there", "1 diverges, portability", "1 hung"):
        assert part in text, part


def test_a_claim_that_no_call_can_test_is_listed_with_the_reason_and_one_that_nobody_tests_is_said_to_be_so() -> None:
    said = ClaimRecord("A", "A, the document", "here", "Updates have a shape.", official=True)
    results = citing(CitationRecord("A", "here", "Updates have a shape.", official=True))
    claims = [said, replace(said, locator="there", says="It is fast.", untestable="speed is nothing that a call shows"),
              replace(said, locator="elsewhere", says="It is short.")]  # fmt: skip
    [document] = documents(replace(results, claims=claims))
    assert [(one.record.locator, one.untestable is None, len(one.tested)) for one in document.claims] == [
        ("here", True, 1), ("there", False, 0), ("elsewhere", True, 0)
    ]  # fmt: skip
    text = " ".join(Parsed(index_html(replace(results, claims=claims))).text.split())
    for part in ("3 claims, 1 untestable, 1 clause", "A, the document", "It is fast.",
                 "Not testable: speed is nothing that a call shows", "No clause of this run tests it."):  # fmt: skip
        assert part in text.replace(" ,", ","), part


def test_hostile_documents_locators_and_claims_are_text_and_their_links_still_lead_somewhere() -> None:
    page = Parsed(index_html(citing(CitationRecord(HOSTILE, HOSTILE, HOSTILE, official=True, url="javascript:x"))))
    assert page.all("img") == []
    assert len(page.all("script")) == 2
    [linked] = set(addresses(page, "claim"))
    assert identifiers(page)[linked] == 1


def test_an_address_holds_any_id_in_characters_that_need_no_care() -> None:
    citation = CitationRecord("a b", "x&case=1#é", "", official=True)
    assert address_of(claim_id(citation)) == "#claim/a%20b/x%26case%3D1%23%C3%A9"


def test_a_cell_of_judged_and_observed_cases_names_what_was_judged_and_counts_the_others_beside_it() -> None:
    results = sample()
    some = [one for one in results.results if one.clause == SHAPE][:1]
    conforms = replace(some[0], verdict="conforms", divergence=[], standing="own")
    observed = [replace(conforms, case=f"{SHAPE}/{name}", verdict="observed") for name in "ab"]
    [operation] = operations(Table(replace(citing(), results=[*observed, conforms])))
    [[row]] = [rows for _, rows in operation.families]
    [cell] = [one for one in row.cells if one.column.api == conforms.api]
    assert (cell.sort, cell.count, cell.not_judged) == ("conforms", "1 judged", ("2 open",))
    assert set(cell.sorts.split()) == {"conforms", "observed"}


def test_a_claim_that_a_program_tests_is_shown_with_it() -> None:
    citation = CitationRecord("A", "here", "Updates have a shape.", official=True)
    claim = ClaimRecord("A", "A", "name", "It has a name.", official=True, program="assert a < b")
    text = Parsed(index_html(replace(citing(citation), claims=[claim]))).text
    assert "Tested in the framework by a program" in text
    assert "assert a < b" in text
    assert "No clause of this run tests it." not in text


def test_the_errata_of_a_document_are_shown_with_both_readings_and_the_proof() -> None:
    erratum = ErratumRecord(
        "A", "odd", "the formula", "Of <input>.", "Of index.", "on an example it is false", "false-on-example"
    )
    errata = [erratum, replace(erratum, id="word", proof="nothing is executed", proof_kind="observation"),
              replace(erratum, document="B", id="elsewhere")]  # fmt: skip
    results = replace(citing(CitationRecord("A", "here", "Updates have a shape.", official=True)), errata=errata)
    page = Parsed(index_html(results))
    assert "2 errata" in page.text
    labels = [label for label in page.texts["dt"] if label in ("printed", "adopted", "proof", "observation")]
    assert labels == ["printed", "adopted", "proof", "printed", "adopted", "observation"]
    for part in ("Of <input>.", "Of index.", "on an example it is false", "nothing is executed"):
        assert part in page.texts["dd"], part
    assert "odd" in page.texts["code"]
    assert "elsewhere" not in page.text


def test_a_claim_says_in_which_targets_it_is_unread() -> None:
    results = replace(sample(), claims=[ClaimRecord("tf.page", "A page", "rank", "Ranks agree.", official=True)])
    assert "Unread in" not in index_html(results)
    target = results.targets[0]
    unread = replace(results, targets=[replace(target, unread={"tf.f": ["tf.page#rank"]}), *results.targets[1:]])
    [document] = [each for each in documents(unread) if each.name == "tf.page"]
    assert (document.unread, document.claims[0].unread) == (1, (target.id,))
    assert f"Unread in {target.id}: " in index_html(unread)
