"""An interrupted run is finished without repeating what it has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.environments.prepared_target import Prepared
from conformance.execution.client import Client
from conformance.execution.plan import Plan, Report
from conformance.execution.resume import CannotResume, changed_targets, resumed
from conformance.results.file import FILE_NAME, Results, read_results
from conformance.results.order import write_results
from conformance.results.records import ExampleRecord, ResultRecord
from tests.execution.sharded import SHORT, carried_out, finished, impatient, plan, without_times


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("whole")
    return carried_out(plan(), folder)


@pytest.fixture
def broken_off(tmp_path: Path) -> Results:
    return carried_out(plan(failure_limit=impatient()), tmp_path)


def by_key(results: Results) -> dict[tuple[str, str], ResultRecord]:
    return {(one.case, one.api): one for one in results.results}


def test_a_run_that_was_broken_off_and_resumed_is_the_whole_run_but_for_times(
    tmp_path: Path, whole: Results, broken_off: Results
) -> None:
    assert not broken_off.complete
    assert 0 < len(broken_off.results) < len(whole.results)
    assert without_times(finished(tmp_path)) == without_times(whole)


def test_what_conformed_before_is_not_run_again(tmp_path: Path, broken_off: Results) -> None:
    before = {key: one for key, one in by_key(broken_off).items() if one.verdict == "conforms"}
    after = by_key(finished(tmp_path))
    assert before
    # A call that was made again would have taken another time.
    assert all(after[key] == one for key, one in before.items())


def test_what_diverged_before_is_tried_again_as_nobody_knows_whether_it_was_confirmed(
    tmp_path: Path, whole: Results, broken_off: Results
) -> None:
    doubtful = [
        replace(one, explanation="not confirmed") if one.verdict == "diverges" else one for one in broken_off.results
    ]
    assert doubtful != broken_off.results
    write_results(replace(broken_off, results=doubtful), tmp_path / FILE_NAME)
    assert without_times(finished(tmp_path)) == without_times(whole)


def test_a_line_that_was_cut_off_is_dropped_and_its_call_made_again(tmp_path: Path, whole: Results) -> None:
    carried_out(plan(), tmp_path)
    file = tmp_path / FILE_NAME
    text = file.read_text(encoding="utf-8")
    file.write_text(text[: text.rindex('{"case":') + 40], encoding="utf-8")
    assert without_times(finished(tmp_path)) == without_times(whole)


def test_results_that_a_finished_run_counts_but_its_file_lacks_are_run(tmp_path: Path, whole: Results) -> None:
    carried_out(plan(), tmp_path)
    file = tmp_path / FILE_NAME
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    results = [line for line in lines if line.startswith('{"case":')]
    file.write_text("".join(line for line in lines if line not in results[::3]), encoding="utf-8")
    assert without_times(finished(tmp_path)) == without_times(whole)


def test_a_target_that_finished_is_not_started_again(tmp_path: Path) -> None:
    adapter = tmp_path / "once.py"
    adapter.write_text(SHORT.read_text())
    carried_out(plan(adapters=[adapter]), tmp_path)
    file = tmp_path / FILE_NAME
    file.write_text(
        file.read_text(encoding="utf-8").replace('{"complete":true,', '{"complete":false,'), encoding="utf-8"
    )
    again = carried_out(resumed(without_preparing(plan(adapters=[adapter])), read_results(tmp_path)), tmp_path)
    assert again.finished
    assert again.end is not None
    assert [record.entry for record in again.end.unexpected] == ["never-happens", "happens-otherwise"]


EXAMPLE = ExampleRecord("", "fake.short", "example 1", "kklmnopq", ["fake.short"], "agrees")


def test_the_examples_of_a_target_are_kept_if_it_finished_and_run_again_if_it_did_not(tmp_path: Path) -> None:
    results = carried_out(plan(), tmp_path)
    [target] = results.targets
    unfinished = replace(target, seconds=None)
    examples = [replace(EXAMPLE, target=target.id)]
    assert _kept(replace(results, examples=examples)) == examples
    assert _kept(replace(results, examples=examples, targets=[unfinished])) == []


def _kept(results: Results) -> list[ExampleRecord]:
    checkpoint = resumed(plan(), results).checkpoint
    assert checkpoint is not None
    return checkpoint.examples


def without_preparing(planned: Plan) -> Plan:
    """The plan, with targets that cannot be started."""

    def fail(_: Report) -> Prepared:
        raise AssertionError("the target is started")

    return replace(planned, jobs=[replace(job, prepare=fail) for job in planned.jobs])


@pytest.mark.parametrize("file", ["edited.py", "target.toml"])
def test_the_results_of_an_adapter_that_was_edited_are_made_again(tmp_path: Path, file: str) -> None:
    adapter = tmp_path / "edited.py"
    adapter.write_text(SHORT.read_text())
    planned = plan(adapters=[adapter])
    existing = carried_out(planned, tmp_path)
    assert changed_targets(planned, existing) == []
    with (tmp_path / file).open("a") as stream:
        stream.write("# edited\n")
    assert changed_targets(planned, existing) == ["edited"]
    checkpoint = resumed(planned, existing).checkpoint
    assert checkpoint is not None
    assert (checkpoint.results, checkpoint.mappings, checkpoint.targets) == ([], [], [])


@pytest.fixture(scope="module")
def with_imports(tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, Results]:
    """A run of an adapter that imports a module beside it, one of another folder, and one of an installed package."""
    folder = tmp_path_factory.mktemp("imports")
    (folder / "mine").mkdir()
    (folder / "lib" / "site-packages").mkdir(parents=True)
    for module in ("mine/beside", "lib/elsewhere", "lib/site-packages/installed"):
        (folder / f"{module}.py").write_text("VALUE = 1\n")
    paths = [str(folder / name) for name in ("mine", "lib", "lib/site-packages")]
    imports = f"import numpy as np\nimport sys\nsys.path += {paths}\nimport beside, elsewhere, installed\n"
    adapter = folder / "mine" / "adapter.py"
    adapter.write_text(SHORT.read_text().replace("import numpy as np\n", imports))
    planned = plan(adapters=[adapter])
    return planned, carried_out(planned, folder / "out", Client)


def test_a_target_says_which_modules_its_adapter_imports(with_imports: tuple[Plan, Results]) -> None:
    [target] = with_imports[1].targets
    assert target.modules == {"beside": "beside.py", "elsewhere": "../lib/elsewhere.py"}


@pytest.mark.parametrize("module", ["beside", "elsewhere"])
def test_the_results_of_an_adapter_are_made_again_if_a_module_that_it_imports_was_edited(
    with_imports: tuple[Plan, Results], module: str
) -> None:
    planned, existing = with_imports
    assert changed_targets(planned, existing) == []
    [file] = planned.jobs[0].target.adapter.parent.parent.rglob(f"{module}.py")
    before = file.read_text()
    file.write_text("VALUE = 2\n")
    assert changed_targets(planned, existing) == ["adapter"]
    file.write_text(before)
    assert changed_targets(planned, existing) == []


def test_a_target_that_is_another_version_now_is_not_mixed_with_the_earlier_one(
    tmp_path: Path, broken_off: Results
) -> None:
    file = tmp_path / FILE_NAME
    file.write_text(file.read_text(encoding="utf-8").replace('"version":"1.0"', '"version":"0.9"'), encoding="utf-8")
    again = finished(tmp_path)
    assert "version was '0.9' and is now '1.0'" in str([target.blocked for target in again.targets])
    assert len(again.results) <= len(broken_off.results)


@pytest.mark.parametrize(
    ("name", "value"), [("seed", 1), ("draws", 3), ("spec_digest", "other"), ("shard", "1/2"), ("targets", ["torch"])]
)
def test_another_run_is_not_resumed(broken_off: Results, name: str, value: Any) -> None:
    other = plan()
    other = replace(other, record=replace(other.record, **{name: value}))
    with pytest.raises(CannotResume, match="repeat its command with --resume: a test"):
        resumed(other, broken_off)
