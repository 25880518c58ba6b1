"""The pages of documents: claims, the clauses that test them, errata."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from conformance.reports.site.claims import claim_anchor, documents
from conformance.results.file import Results
from conformance.results.records import CitationRecord, ClaimRecord, DocumentRecord, ErratumRecord
from conformance.results.table import sort_of
from tests.reports.sample import MS, TF, sample
from tests.reports.sample_cases import HOSTILE
from tests.reports.sample_questions import results_to_ask
from tests.reports.site_of import Parsed, site_of

SHAPE = "scatter_nd.rule.updates-shape"


def page(results: Results, name: str = "A") -> Parsed:
    return Parsed(site_of(results)[f"documents/{name}/index.html"])


def citing(*citations: CitationRecord) -> Results:
    results = sample()
    clause = replace(results.clauses[SHAPE], citations=list(citations))
    return replace(results, clauses={SHAPE: clause})


def test_a_finding_links_the_claim_of_its_own_documentation_that_it_breaks() -> None:
    results = results_to_ask()

    def of_torch(some: Results) -> str:
        [text] = [text for path, text in site_of(some).items() if path.startswith("finding/torch-")]
        return text

    assert "documents/torch.gather/index.html#out-of-bounds" in of_torch(results)
    assert "1 sentence that ships with it since 2.13.0, the oldest tested" in of_torch(results)
    unread = [replace(one, sentences={"torch.gather": ["other"]}) for one in results.targets]
    assert "#out-of-bounds" not in of_torch(replace(results, targets=unread))


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


def test_under_a_claim_only_the_results_of_apis_that_its_document_is_about_are_counted() -> None:
    """Those of TensorFlow and of PyTorch are no results of the documentation of MindSpore."""
    claim = CitationRecord("A", "here", "Updates have a shape.", official=True)
    results = replace(citing(claim), documents=[DocumentRecord("A", "mindspore", [MS])])
    of_mindspore = [one for one in results.results if (one.clause, one.api) == (SHAPE, MS)]
    [document] = documents(results)
    [[tested]] = [one.tested for one in document.claims]
    assert 0 < tested.results == len(of_mindspore) < sum(one.clause == SHAPE for one in results.results)
    assert document.counts == tested.counts == Counter(sort_of(one) for one in of_mindspore)
    assert "1 hung" not in page(results).text
    unread = [replace(one, unread={MS: ["A#here"]}) for one in results.targets]
    [unsaid] = documents(replace(results, targets=unread))
    assert unsaid.counts == Counter()


def test_an_api_that_follows_another_one_counts_for_the_document_of_that_one() -> None:
    claim = CitationRecord("A", "here", "Updates have a shape.", official=True)
    results = replace(citing(claim), documents=[DocumentRecord("A", "tensorflow", ["tf.other"])])
    assert documents(results)[0].counts == Counter()
    following = [replace(one, follows="tf.other") if one.api == TF else one for one in results.mappings]
    [document] = documents(replace(results, mappings=following))
    assert document.counts == Counter(
        sort_of(one) for one in results.results if (one.clause, one.api) == (SHAPE, TF)
    ) != Counter()  # fmt: skip


def test_the_page_says_what_a_claim_says_where_it_stands_and_how_the_targets_fared() -> None:
    text = page(citing(CitationRecord("A", "here.there", "Updates have a shape.", official=False))).text
    for part in ("not official", "Updates have a shape.", "here.there", "1 diverges, portability", "1 hung"):
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
    text = page(replace(results, claims=claims)).text
    for part in ("A, the document", "It is fast.", "Not testable: speed is nothing that a call shows",
                 "No clause of this run cites it."):  # fmt: skip
        assert part in text, part


def test_hostile_documents_locators_and_claims_are_text_and_have_an_address() -> None:
    results = citing(CitationRecord(HOSTILE, HOSTILE, HOSTILE, official=True, url="javascript:x"))
    [path] = [path for path in site_of(results) if path.startswith("documents/") and path.count("/") == 2]
    parsed = Parsed(site_of(results)[path])
    assert parsed.all("img") == []
    assert claim_anchor(HOSTILE) in parsed.ids
    assert not any(character.isspace() for character in claim_anchor(HOSTILE))


def test_a_claim_that_a_program_tests_is_shown_with_it() -> None:
    citation = CitationRecord("A", "here", "Updates have a shape.", official=True)
    claim = ClaimRecord("A", "A", "name", "It has a name.", official=True, program="assert a < b")
    text = page(replace(citing(citation), claims=[claim])).text
    assert "Tested by a program in the framework" in text
    assert "assert a < b" in text
    assert "No clause of this run cites it." not in text


def test_the_errata_of_a_document_are_shown_with_both_readings_and_the_proof() -> None:
    erratum = ErratumRecord(
        "A", "odd", "the formula", "Of <input>.", "Of index.", "on an example it is false", "false-on-example"
    )
    errata = [erratum, replace(erratum, document="B", id="elsewhere", printed="Of nothing.")]
    results = replace(citing(CitationRecord("A", "here", "Updates have a shape.", official=True)), errata=errata)
    parsed = page(results)
    for part in ("the formula", "Of <input>.", "Of index.", "on an example it is false"):
        assert part in parsed.texts["dd"], part
    assert "Of nothing." not in parsed.text


def test_a_claim_says_in_which_targets_it_is_unread() -> None:
    results = replace(sample(), claims=[ClaimRecord("tf.page", "A page", "rank", "Ranks agree.", official=True)])
    assert "Unread in" not in page(results, "tf.page").text
    target = results.targets[0]
    unread = replace(results, targets=[replace(target, unread={"tf.f": ["tf.page#rank"]}), *results.targets[1:]])
    [document] = [each for each in documents(unread) if each.name == "tf.page"]
    assert (document.unread, document.claims[0].unread) == (1, (target.id,))
    assert f"Unread in {target.id}: " in page(unread, "tf.page").text
