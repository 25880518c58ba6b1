"""What the published run is made of, and the documents that state its numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.environments.definition import definitions
from conformance.environments.resolve import resolve
from conformance.matrix.merging import merged
from conformance.matrix.reading import read_parts
from conformance.results.file import Results, read_results, results_file
from conformance.results.order import write_results
from conformance.results.records import EndRecord, KnownRecord, MergedRunRecord
from reports.publish import (
    DEFAULT_RUN,
    MOST_BYTES,
    NOT_RUN,
    Facts,
    Found,
    Published,
    TargetFacts,
    costs,
    documents,
    facts_of,
    of_targets,
    printed,
    size,
    unpack,
    whole_run,
    with_section,
)
from tests.cli.command import REPOSITORY
from tests.known.small import TARGET, result, results

EAGER = TargetFacts("torch==2.13.0@cpu", "torch", "PyTorch", True, 20, 19, 18, 90.0, 10**8, 0)
COMPILED = replace(EAGER, target="torch==2.13.0[compile]@cpu", asked="torch[compile]", default_mode=False, alone=3)
FACTS_OF_RUN = Facts("2026-11-30T01:02:03Z", True, 32, 4000, 3000, [EAGER, COMPILED], {})


def run(known: str | None = "clamps") -> Results:
    """A run with one result that is wrong, which a ledger records."""
    record = KnownRecord("torch", "clamps", "It clamps.", "https://github.com/a/B/issues/7", "x.yaml:1")
    made = replace(result("rank/first", "accepted"), known=known)
    end = EndRecord(complete=True, counts={"diverges": 1})
    return replace(results(made), known={("torch", "clamps"): record}, end=end)


def test_each_target_of_the_published_run_is_one() -> None:
    published = Published.read()
    targets = [*published.targets(), *published.targets("cuda")]
    assert len(resolve(targets, definitions())) == len(targets)


def test_a_device_without_targets_is_refused_with_those_that_have_some() -> None:
    with pytest.raises(SystemExit, match="no targets for 'tpu'; there are some for cuda"):
        Published.read().targets("tpu")


def test_every_framework_of_the_suite_is_in_the_published_run_or_said_to_be_left_out() -> None:
    published = Published.read()
    named = {target.name for target in resolve(published.newest, definitions())}
    assert {name for name in definitions() if name not in named and not _is_left_out(name, published)} == set()


def _is_left_out(name: str, published: Published) -> bool:
    return any(name in what for what in published.left_out)


def test_a_row_of_readme_has_the_thread_that_its_ledger_names() -> None:
    facts = facts_of(run(), [Found("torch/clamps", "`torch.gather`", "it clamps")])
    assert facts.links == {"torch/clamps": "https://github.com/a/B/issues/7"}


@pytest.mark.parametrize("entry", ["torch/clamps", "torch/other", "jax/clamps"])
def test_readme_names_no_entry_that_the_run_does_not_show(entry: str) -> None:
    with pytest.raises(SystemExit, match=f"{entry}: no result of the run is this known divergence"):
        facts_of(run(known=None), [Found(entry, "`torch.gather`", "it clamps")])


def test_a_run_with_something_new_is_not_said_to_have_passed() -> None:
    assert facts_of(run(), []).passed
    assert not facts_of(run(known=None), []).passed
    sentence = next(whole_run(Published([], [], {}, {}, []), replace(FACTS_OF_RUN, passed=False)))
    assert "failed" in sentence


def test_a_target_of_the_plan_that_has_not_run_is_said_to_be_missing() -> None:
    planned = Published(["torch", "torch[compile]"], ["torch==2.6.0"], {}, {"GPUs": "none is at hand"}, [])
    assert [*whole_run(planned, FACTS_OF_RUN)][-2:] == [
        f"| `torch==2.6.0` | to be in it, and not run to the end yet: {NOT_RUN} |",
        "| GPUs | none is at hand |",
    ]
    assert [*whole_run(replace(planned, others=[]), FACTS_OF_RUN)][-2:] == ["|---|---|", "| GPUs | none is at hand |"]


def test_numbers_of_a_target_are_those_of_its_results() -> None:
    [target] = facts_of(run(), []).targets
    assert (target.target, target.judged, target.default_mode, target.alone) == (TARGET.id, 1, True, 0)


def test_causes_of_a_mode_that_the_default_mode_does_not_show_are_counted() -> None:
    compiled = replace(TARGET, id="torch==2.13.0[compile]@cpu", mode="compile", default_mode=False)
    alone = run()
    both = replace(
        alone,
        targets=[*alone.targets, compiled],
        mappings=[*alone.mappings, replace(alone.mappings[0], target=compiled.id)],
    )
    only_compiled = replace(both, results=[replace(alone.results[0], target=compiled.id)])
    in_both = replace(both, results=[*alone.results, *only_compiled.results])
    assert [target.alone for target in facts_of(only_compiled, []).targets] == [0, 1]
    assert [target.alone for target in facts_of(in_both, []).targets] == [0, 0]


def test_the_table_of_targets_leaves_cells_empty_that_say_nothing() -> None:
    unknown = replace(COMPILED, seconds=None, memory=None)
    assert [*costs(replace(FACTS_OF_RUN, targets=[EAGER, unknown]))][-2:] == [
        "| `torch==2.13.0@cpu` | 19 | 20 | 18 | 1.5 | 100 |  |",
        "| `torch==2.13.0[compile]@cpu` | 19 | 20 | 18 |  |  | 3 |",
    ]


def test_readme_shows_what_a_run_prints_of_its_findings() -> None:
    assert [*printed(run())] == [
        "    New: nothing",
        "",
        "    In all, known or new",
        "      Breaks its own documentation: 1 cause, 1 finding",
        "",
        "    Known divergences: 1 entry, 1 finding",
        "      torch: 1 entry, 1 finding",
    ]


def test_only_what_is_between_the_comments_is_written() -> None:
    text = "a\n<!-- x: written by reports/publish.py -->\nold\n<!-- end of x -->\nb\n"
    written = with_section(text, "x", iter(["new"]))
    assert written == "a\n<!-- x: written by reports/publish.py -->\n\nnew\n\n<!-- end of x -->\nb\n"
    assert with_section(written, "x", iter(["new"])) == written
    with pytest.raises(SystemExit, match="no section between"):
        with_section(text, "y", iter([]))


def test_only_the_sections_of_the_documents_are_written() -> None:
    """The rest of README and of docs/performance.md stays as it is, and the sections are there."""
    published = replace(Published.read(), found=[])
    for file, text in documents(published, run(), REPOSITORY).items():
        assert _outside(text) == _outside(file.read_text(encoding="utf-8"))
        assert text != file.read_text(encoding="utf-8")


def test_the_documents_state_the_numbers_of_the_published_run(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--published"):
        pytest.skip("it reads the published run, with --published")
    for file, text in documents(Published.read(), read_results(REPOSITORY / "reports"), REPOSITORY).items():
        assert file.read_text(encoding="utf-8") == text


def of_two_targets() -> Results:
    """The run of PyTorch, with another target that was merged into it, and a case that neither made."""
    other = replace(TARGET, id="jax==0.10.2@cpu", asked="jax", framework="jax")
    own = replace(result("rank/first", "accepted"), target=other.id)
    merged = [
        MergedRunRecord("2026-11-30T01:02:03Z", f"conformance matrix {name}", [name]) for name in ("torch", "jax")
    ]
    [case] = run().cases.values()
    not_made = replace(case, id=f"{case.id}.jvp.src")
    return replace(
        run(),
        run=replace(run().run, targets=["torch", "jax"], merged=merged),
        cases={**run().cases, not_made.id: not_made},
        targets=[replace(TARGET, asked="torch"), other],
        results=[*run().results, own],
        end=EndRecord(complete=True, counts={"diverges": 2}),
    )


def test_the_published_run_in_parts_is_the_same_when_they_are_merged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = tmp_path / "reports"
    published.mkdir()
    write_results(of_two_targets(), published / "results.jsonl")
    monkeypatch.setattr("reports.publish.REPORTS", published)
    unpack(["torch", "jax", "numpy"], tmp_path / "parts")
    parts = sorted((tmp_path / "parts").iterdir())
    assert [part.name for part in parts] == ["jax", "torch"]
    again = merged(read_parts([results_file(part) for part in reversed(parts)]), "conformance report").results
    assert replace(again, run=of_two_targets().run) == of_two_targets()
    assert again.run.merged == of_two_targets().run.merged


def test_a_part_that_is_there_is_kept_when_the_published_run_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_results(of_two_targets(), tmp_path / "results.jsonl")
    monkeypatch.setattr("reports.publish.REPORTS", tmp_path)
    (tmp_path / "parts" / "jax").mkdir(parents=True)
    unpack(["torch", "jax"], tmp_path / "parts")
    assert [*(tmp_path / "parts" / "jax").iterdir()] == []
    assert read_results(tmp_path / "parts" / "torch").run.targets == ["torch"]


def test_readme_shows_the_end_of_a_run_of_the_default_targets() -> None:
    both = of_two_targets()
    assert [*printed(of_targets(both, DEFAULT_RUN))] == [*printed(run())]


def _outside(text: str) -> str:
    return re.sub(
        r"(<!-- (\w+): written by reports/publish.py -->).*?(<!-- end of \2 -->)", r"\1\3", text, flags=re.DOTALL
    )


def test_readme_lists_at_most_ten_things_that_are_left_out() -> None:
    """And one line for what has not run to the end."""
    assert len(Published.read().left_out) <= 9


def test_the_published_results_take_less_than_is_allowed() -> None:
    assert size() <= MOST_BYTES
