"""Documents and documentation may be anybody's: what they say moves no cursor, hides no text, and breaks no file that it is written to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.reports.text import visible
from conformance.specification.documents import load_documents
from tests.cli.command import Done
from tests.specification.small import DOCUMENTS, SPEC, changed, write_specs
from tests.untrusted.command import command

TEXTS = [
    "A \x1b[2Jscreen \x07rings",
    "Left \u202eright\u202c and \u2066isolated\u2069",
    "Ends\u2028a line",
    "[red]markup[/red] {braces} : # - ---",
    "<script>alert(1)</script> ::error::command",
    "long " * 3000,
]
ADAPTER = """\
from conformance.adapter import api


class json:
    gather = property(doc={docstring!r})


def describe():
    return {{"framework": "json", "version": "1.0"}}


@api("json.gather", operation="gather_elements")
def gather(input, dim, index):
    return input
"""


def shown(*words: str | Path, cwd: Path) -> Done:
    """A command that shows everything visibly."""
    done = command(*words, cwd=cwd)
    assert "Traceback" not in done.err, done.err
    assert visible(done.out) == done.out
    assert visible(done.err) == done.err
    return done


@pytest.mark.parametrize("text", TEXTS)
def test_documents_with_hostile_texts_are_traced_and_checked_visibly(tmp_path: Path, text: str) -> None:
    quoted = json.dumps(text)
    documents = changed(DOCUMENTS, "says: A picture shows it.", f"says: {quoted}")
    documents = changed(documents, "untestable: It was lost.", f"untestable: {quoted}")
    documents = changed(documents, "title: A page about a gather that does not exist", f"title: {quoted}")
    specs = write_specs(tmp_path / "specs", documents=documents, spec=changed(SPEC, "A row read backwards.", quoted))
    assert shown("check", specs, cwd=tmp_path).status == 0
    assert shown("trace", "--specs", specs, cwd=tmp_path).status == 0
    done = shown("trace", "--json", "--specs", specs, cwd=tmp_path)
    [document] = json.loads(done.out)["documents"]
    assert document["title"] == text


@pytest.mark.parametrize("key", ["a\x1b[2J", "\u202ex", "../../x", "---", "{}"])
def test_documents_with_hostile_names_are_refused_visibly(tmp_path: Path, key: str) -> None:
    documents = changed(DOCUMENTS, "json.page:", f"{json.dumps(key)}:")
    specs = write_specs(tmp_path / "specs", documents=documents)
    for words in (("check", specs), ("trace", "--specs", specs), ("trace", key, "--specs", specs)):
        assert shown(*words, cwd=tmp_path).status == 4


def test_documentation_with_hostile_text_is_added_to_documents_that_can_still_be_read(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text(ADAPTER.format(docstring=" ".join(f"{text}." for text in TEXTS)))
    specs = write_specs(tmp_path / "specs")
    target = ("--target", tmp_path / "json.py", "--here", "--specs", specs)
    assert shown("docs", "json.gather", *target, cwd=tmp_path).status == 0
    words = ("--document", "json.gather", "--untestable", "a-b", "--reason", TEXTS[1])
    assert shown("docs", "add", "json.gather", *words, *target, cwd=tmp_path).status == 0
    written = (specs / "documents" / "json.yaml").read_text()
    assert visible(written) == written
    [group] = load_documents([specs / "documents" / "json.yaml"]).by_id["json.gather"].untestable
    assert group.reason == TEXTS[1]
    assert group.rests["json.gather"]


@pytest.mark.parametrize("name", ["../../x", "a\\u202eb", "a/b", "..", "a\\0b"])
def test_cases_with_hostile_names_are_exported_for_onnx_nowhere(tmp_path: Path, name: str) -> None:
    pytest.importorskip("onnx")
    spec = changed(SPEC, "  backwards:", f'  "{name}":')
    specs = write_specs(tmp_path / "specs", spec=spec)
    assert shown("export", "onnx", "new", "--specs", specs, cwd=tmp_path).status == 4
    assert {path.name for path in tmp_path.rglob("*")} == {"specs", "documents.yaml", "gather_elements.yaml"}
