"""`conformance docs` shows the text that ships with a target beside the claims, and writes claims about it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.app.errors import ConformanceError
from conformance.cli.commands.docs import command
from conformance.documentation.words import hash_of
from conformance.results.order import write_results
from conformance.specification.documents import load_documents
from tests.reports.sample import raised, sample
from tests.specification.small import DOCUMENTS, changed, lock, write_specs

RANK = hash_of("The index has the rank of input")
OLD = hash_of("The input has one axis")
DOCSTRING = """Gathers rows. The index has the rank of input. The input has two axes.

Args:
    out: ignored

Example::
    >>> json.gather()
"""
ADAPTER = f"""\
from conformance.adapter import api


class json:
    gather = property(doc={DOCSTRING!r})
    method = property(doc="Does as gather. The index has the rank of input.")


def describe():
    return {{"framework": "json", "version": "1.0"}}


@api("json.gather", operation="gather_elements")
def gather(input, dim, index):
    return input


@api("json.method", operation="gather_elements")
def method(input, dim, index):
    return input


@api("json.at[].get", operation="gather_elements")
def at(input, dim, index):
    return input
"""
CLAIMS = """\
      rank: Index has as many axes as input.
      axes: The input has one axis.
"""
GROUP = """\
    untestable:
      titles: It is a title.
"""
RESTS = [
    f"json.page claims rank json.gather {RANK}",
    f"json.page claims axes json.gather {OLD}",
    f"json.page untestable titles json.gather {hash_of('Gathers rows')}",
]


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    (tmp_path / "json.py").write_text(ADAPTER)
    documents = changed(DOCUMENTS, "      rank: Index has as many axes as input.\n", CLAIMS) + GROUP
    return write_specs(tmp_path / "specs", documents=documents, rests=RESTS)


def _printed(specs: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    target = ["--target", str(specs.parent / "json.py"), "--here", "--specs", str(specs)]
    assert command.main([*words, *target], standalone_mode=False) == 0
    return capsys.readouterr().out


def test_each_sentence_is_printed_with_what_was_made_of_it(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = _printed(specs, capsys, "json.gather")
    assert f"{RANK}  sentence 2\n      The index has the rank of input.\n    -> json.page#rank: Index has" in out
    assert "Gathers rows.\n    -- json.page, untestable, titles: It is a title.\n" in out
    assert "      >>> json.gather()\n    -> an example, which a run executes as it stands\n" in out
    assert f"{OLD}  lost by json.page#axes: The input has one axis." in out
    assert "5 statements in 1 text: 2 read by claims or run, 1 untestable, 2 unread" in out


def test_unread_are_new_and_reworded_sentences_beside_the_claim_that_lost_its_own(
    specs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = _printed(specs, capsys, "--unread", "json.gather")
    assert "Gathers rows" not in out
    assert "The input has two axes.\n    ?? nobody has read this\n    ?? perhaps instead of json.page#axes: " in out


def test_all_apis_are_shown_and_those_without_documentation_named(
    specs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = _printed(specs, capsys)
    assert "json.method\n" in out
    assert "no documentation: json.at[].get: not a dotted name" in out


def test_what_programs_and_issues_get_has_no_third_party_text(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = json.loads(_printed(specs, capsys, "--json", "json.gather"))
    [entry] = printed["objects"]
    assert [each["claims"] for each in entry["statements"]] == [[], ["json.page#rank"], [], [], []]
    assert entry["lost"] == [{"claim": "json.page#axes", "missing": [OLD]}]
    markdown = _printed(specs, capsys, "--unread", "--markdown", "json.gather")
    assert f"- [ ] `json.page#axes` lost `{OLD}`" in markdown
    assert f"- [ ] sentence 3 (`{hash_of('The input has two axes')}`), perhaps instead of `json.page#axes`" in markdown
    assert "two axes" not in json.dumps(printed) + markdown


def test_add_writes_a_claim_to_be_put_into_words(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = hash_of("The input has two axes")
    out = _printed(specs, capsys, "add", new, "--document", "json.page")
    claim = load_documents([specs / "documents.yaml"]).by_id["json.page"].claims["sentence.3"]
    assert out == f"{claim.location}: json.page#sentence.3\n"
    assert claim.rests == {"json.gather": (new,)}
    assert claim.says.startswith("TODO")


def test_add_writes_the_sentences_of_a_claim_that_lacks_them(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    resting = specs / "documents.lock"
    resting.write_text("".join(line for line in resting.read_text().splitlines(True) if "titles" not in line))
    _printed(specs, capsys, "add", hash_of("Gathers rows"), "--document", "json.page", "--untestable", "titles")
    assert load_documents([specs / "documents.yaml"]).problems == []
    assert resting.read_text() == lock(*RESTS)


def test_add_writes_everything_unread_of_an_api(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _printed(specs, capsys, "add", "json.method", "--document", "json.method", "--untestable", "all", "--reason", "So.")
    [group] = load_documents([specs / "documents" / "json.yaml"]).by_id["json.method"].untestable
    assert group.rests == {"json.method": (hash_of("Does as gather"), RANK)}
    assert "0 unread" in _printed(specs, capsys, "json.method")


def test_diff_shows_what_changed_from_one_target_to_another_and_the_claims_that_it_concerns(
    specs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = specs.parent / "old" / "json.py"
    old.parent.mkdir()
    old.write_text(changed(ADAPTER, "The index has the rank of input.", "The index has the rank of input. It is new."))
    new = specs.parent / "new" / "json.py"
    new.parent.mkdir()
    new.write_text(changed(ADAPTER, "The index has the rank of input.", "The index has the axes of input."))
    words = ["diff", str(old), str(new), "json.gather", "--here", "--specs", str(specs)]
    assert command.main(words, standalone_mode=False) == 0
    out = capsys.readouterr().out
    assert (
        "  reworded, sentence 2\n      The index has the [-rank-] {+axes+} of input.\n    -> of json.page#rank\n" in out
    )
    assert "  removed, sentence 3\n      [-It is new.-]\n" in out
    assert "2 changes in 1 text of 2" in out
    assert command.main([*words, "--markdown"], standalone_mode=False) == 0
    markdown = capsys.readouterr().out
    assert (
        f"- reworded: sentence 2 (`{hash_of('The index has the axes of input')}`)\n  - `json.page#rank`: " in markdown
    )
    assert f"- removed: sentence 3 (`{hash_of('It is new')}`)\n" in markdown
    assert "axes of input" not in markdown


def test_diff_compares_the_texts_of_an_api_whose_documentation_is_another_object(
    specs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = specs.parent / "old" / "json.py", specs.parent / "new" / "json.py"
    for path, edition, text in ((old, "first", "It has one axis."), (new, "second", "It has two axes.")):
        path.parent.mkdir()
        named = changed(ADAPTER, '"json.method", op', f'"json.method", documentation="json.{edition}", op')
        path.write_text(changed(named, "    gather = ", f"    {edition} = property(doc={text!r})\n    gather = "))
    words = ["diff", str(old), str(new), "--here", "--specs", str(specs)]
    assert command.main(words, standalone_mode=False) == 0
    out = capsys.readouterr().out
    assert "json.second: 1 change\n  reworded, sentence 1\n      It has [-one axis.-] {+two axes.+}\n" in out
    assert "only in" not in out


def test_an_object_that_only_claims_name_need_not_exist(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    resting = specs / "documents.lock"
    resting.write_text(changed(resting.read_text(), f"json.gather\t{RANK}", f"json.other\t{RANK}"))
    out = _printed(specs, capsys)
    assert "no documentation: json.at[].get" in out
    assert "json.other" not in out


def test_diff_sets_changes_in_behaviour_beside_those_of_text(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = specs.parent / "first.jsonl", specs.parent / "second.jsonl"
    results = sample()
    [target, *_] = results.targets
    ident = f"{specs.parent / 'json.py'}@cpu"
    target = replace(target, id=ident, framework="json")
    ours = [replace(result, target=ident, api="json.method") for result in results.results[:1]]
    write_results(replace(results, targets=[target], results=ours, mappings=[]), first)
    changed_result = replace(ours[0], outcome=raised("ValueError", "no"), verdict="diverges", divergence=["rejected"])
    write_results(replace(results, targets=[target], results=[changed_result], mappings=[]), second)
    adapter = str(specs.parent / "json.py")
    words = ["diff", adapter, adapter, "--here", "--specs", str(specs), "--results", str(first), str(second)]
    assert command.main(words, standalone_mode=False) == 0
    out = " ".join(capsys.readouterr().out.split())
    change = "json.method: 1 result, 1 of them from returns to raises ValueError"
    assert f"behaviour changed, text did not (1 API) {change}" in out
    assert "text changed, behaviour did not (0 APIs)" in out
    assert command.main([*words, "--markdown"], standalone_mode=False) == 0
    assert (
        "Behaviour changed, text did not:\n\n- `json.method`: 1 result, 1 of them from returns to raises ValueError\n"
        in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("json.gathr",), "has no API 'json.gathr'; did you mean 'json.gather'?"),
        (("add", "kkkkkkkk", "--document", "json.page"), "has no API 'kkkkkkkk'"),
        (("add", "json.at[].get", "--document", "json.page"), "not a dotted name"),
    ],
)
def test_a_wrong_name_is_said(
    specs: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(ConformanceError) as failure:
        _printed(specs, capsys, *words)
    assert failure.value.status == 4
    assert problem in str(failure.value)


def test_without_a_target_an_api_must_be_one_that_an_adapter_maps() -> None:
    with pytest.raises(ConformanceError, match=r"did you mean 'torch\.gather'"):
        command.main(["torch.gahter"], standalone_mode=False)
    with pytest.raises(ConformanceError, match="expected an API"):
        command.main([], standalone_mode=False)
