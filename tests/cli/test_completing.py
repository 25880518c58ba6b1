"""What the shell offers for the beginning of a word."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from conformance.cli.main import conformance as program

OPERATIONS = ["gather_elements", "gather_nd"]


def offered(line: str) -> list[tuple[str, str]]:
    """What a shell offers for a command line whose last word is begun: the kind of each word, and the word."""
    _, *words = line.split(" ")
    found = ShellComplete(program, {}, "conformance", "_CONFORMANCE_COMPLETE").get_completions(words[:-1], words[-1])
    return [(item.type, item.value) for item in found]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("conformance run ten", ["tensorflow", "tensor_scatter_nd_update.example.insert-four-scalars"]),
        ("conformance list --operation gather_", OPERATIONS),
        ("conformance list unmapped tensorf", ["tensorflow"]),
        ("conformance env make torch[c", ["torch[compile]", "torch[compile-dynamic]"]),
        ("conformance show gather_nd.example.last", ["gather_nd.example.last-row-of-the-first-matrix"]),
        ("conformance repro --target onnxr", ["onnxruntime"]),
        ("conformance known list onnxr", ["onnxruntime"]),
        ("conformance known migrate onnxr", ["onnxruntime"]),
        ("conformance adapter check onnxr", ["onnxruntime"]),
        ("conformance report results --porting onnxr", ["onnxruntime"]),
        ("conformance run --api torch.ga", ["torch.gather"]),
        ("conformance repro --api torch.ga", ["torch.gather"]),
    ],
)
def test_targets_operations_and_ids_are_offered(line: str, words: list[str]) -> None:
    found = [word for _, word in offered(line)]
    begun = line.rpartition(" ")[2]
    assert all(word.startswith(begun) for word in found)
    assert set(words) <= set(found)


def test_environments_are_offered_to_be_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path))
    (tmp_path / "environments" / "numpy-2.4.6-cpu").mkdir(parents=True)
    assert offered("conformance env remove num") == [("plain", "numpy-2.4.6-cpu")]


def test_cases_are_offered_once_their_clause_is_whole_and_files_for_a_path() -> None:
    clause = "gather_elements.example.along-dim-0"
    assert offered(f"conformance show {clause}") == [("plain", clause)]
    cases = [word for _, word in offered(f"conformance show {clause}/")]
    assert f"{clause}/as-printed" in cases
    assert offered("conformance run ./mi") == [("file", "./mi")]


def test_invalid_specs_offer_nothing_and_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("operation: [")
    assert offered(f"conformance show --specs {tmp_path / 'bad.yaml'} gather") == []
