"""``known``, and runs with known divergences, with a user's own adapter."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.results.file import read_results
from tests.cli.command import REPOSITORY, Done, conformance
from tests.execution.harness import FAKES

ADAPTER = """\
import numpy as np

from conformance.adapter import api


def describe():
    return {{"framework": "order_dependent"}}


@api("fake.steady", operation="gather_elements")
def steady(input, dim, index):
    return np.take_along_axis(input, index, dim){wrong}
"""
OWN = "gather_elements.example.lucky/as-printed"
REPORT = "conformance-report"
REASON = ("--reason", "One is added.", "--link", "unreported")


def write(folder: Path, wrong: str = " + input.dtype.type(1)") -> Path:
    """An adapter whose one API has a document of its own, and conforms to it without ``wrong``."""
    (folder / "order_dependent.py").write_text(ADAPTER.format(wrong=wrong))
    return folder


def run(folder: Path, *more: str) -> Done:
    return conformance("run", "./order_dependent.py", "--here", "--specs", FAKES / "specs", "-q", *more, cwd=folder)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write(tmp_path_factory.mktemp("ran"))
    assert run(folder).status == 1
    return folder


@pytest.fixture
def unknown(ran: Path, tmp_path: Path) -> Path:
    """A folder with an adapter that diverges from its own document, and the run that found it."""
    return shutil.copytree(ran, tmp_path, dirs_exist_ok=True)


@pytest.fixture(scope="module")
def updated(ran: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = shutil.copytree(ran, tmp_path_factory.mktemp("updated"), dirs_exist_ok=True)
    assert conformance("known", "update", REPORT, *REASON, cwd=folder).status == 0
    return folder


@pytest.fixture
def known(updated: Path, tmp_path: Path) -> Path:
    """The same, with the divergence recorded as known."""
    return shutil.copytree(updated, tmp_path, dirs_exist_ok=True)


def test_a_run_passes_with_known_divergences_and_fails_without(known: Path) -> None:
    assert run(known).status == 0
    results = read_results(known / REPORT).results
    assert {result.case for result in results if result.known} >= {OWN}
    assert not [
        result for result in results if result.standing == "own" and result.verdict == "diverges" and not result.known
    ]
    (known / "divergences.yaml").unlink()
    assert run(known).status == 1


def test_portability_counts_under_fail_on_any_until_it_is_known_too(known: Path) -> None:
    assert run(known, "--fail-on", "any").status == 1
    assert conformance("known", "update", REPORT, "--all", *REASON, cwd=known).status == 0
    assert run(known, "--fail-on", "any").status == 0


def test_an_entry_that_no_longer_happens_fails_a_run_and_every_report_says_so(known: Path) -> None:
    write(known, wrong="")
    done = run(known)
    assert done.status == 1
    message = "divergences.yaml:2: steady-lucky, on ./order_dependent.py@cpu: unexpected pass"
    assert message in " ".join(done.out.split())
    for name in ("summary.md", "run/index.html", "junit.xml"):
        assert "no longer happens" in (known / REPORT / name).read_text(), name
    assert '<a href="run/index.html#unexpected">' in (known / REPORT / "index.html").read_text()
    again = conformance("report", REPORT, "--output", "again", cwd=known)
    assert message in " ".join(again.out.split())
    assert run(known, "--fail-on", "never").status == 0


def test_an_entry_whose_cases_were_not_run_is_no_unexpected_pass(known: Path) -> None:
    write(known, wrong="")
    assert run(known, "-k", "lucky-again").status == 0


def test_a_known_divergence_that_happens_differently_fails_a_run(known: Path) -> None:
    write(known, wrong=".astype('int8')")
    done = run(known)
    assert done.status == 1
    assert "differs from what is recorded: dtype in" in " ".join(done.out.split())


def test_prune_removes_entries_that_no_longer_happen_and_shows_the_change(known: Path) -> None:
    write(known, wrong="")
    run(known)
    done = conformance("known", "update", REPORT, "--prune", cwd=known)
    assert done.status == 0
    assert "-  steady-lucky:" in done.out
    assert run(known).status == 0
    assert conformance("known", "list", "./order_dependent.py", cwd=known).out == ""


def test_without_prune_nothing_is_removed(known: Path) -> None:
    before = (known / "divergences.yaml").read_text()
    write(known, wrong="")
    run(known)
    done = conformance("known", "update", REPORT, cwd=known)
    assert (done.status, done.out) == (0, "")
    assert (known / "divergences.yaml").read_text() == before


def test_an_entry_is_never_written_without_its_reason_and_link(unknown: Path) -> None:
    for options in [(), REASON[:2], REASON[2:]]:
        done = conformance("known", "update", REPORT, *options, cwd=unknown)
        assert done.status == 4
        assert "steady-lucky: fake.steady: value" in done.err
        assert not (unknown / "divergences.yaml").exists()


def test_an_invalid_link_is_a_usage_error(unknown: Path) -> None:
    done = conformance("known", "update", REPORT, "--reason", "x", "--link", "unreportd", cwd=unknown)
    assert done.status == 4
    assert "did you mean 'unreported'?" in done.err


def test_a_baseline_accepts_what_diverges_without_a_reason_and_until_it_expires(unknown: Path) -> None:
    assert conformance("known", "update", REPORT, "--baseline", "--expires", "2999-01-31", cwd=unknown).status == 0
    written = (unknown / "divergences.yaml").read_text()
    assert "expires: 2999-01-31" in written
    assert "triaged: false" in written
    listed = conformance("known", "list", "./order_dependent.py", cwd=unknown).out
    assert "value, not triaged, expires 2999-01-31" in listed
    assert run(unknown).status == 0
    (unknown / "divergences.yaml").write_text(written.replace("2999-01-31", "2026-01-31"))
    late = conformance("run", "./order_dependent.py", "--here", "--specs", FAKES / "specs", cwd=unknown)
    assert late.status == 1
    assert "expired on 2026-01-31; what it records counts as unexpected again" in late.err


def test_with_a_closed_standard_input_nothing_is_asked(unknown: Path) -> None:
    command = f"{shlex.quote(sys.executable)} -m conformance known update {REPORT} <&-"
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        command, shell=True, cwd=unknown, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 4
    assert "pass --reason TEXT --link URL, or run this on a terminal" in done.stderr


def test_an_expiry_that_is_no_date_is_refused(unknown: Path) -> None:
    done = conformance("known", "update", REPORT, "--baseline", "--expires", "31.1.2027", cwd=unknown)
    assert done.status == 4
    assert "31.1.2027" in done.err
    assert not (unknown / "divergences.yaml").exists()


def test_calls_of_an_entry_that_is_not_run_are_blocked_because_of_it(known: Path) -> None:
    file = known / "divergences.yaml"
    file.write_text(file.read_text().replace("    reason:", "    run: false\n    reason:"))
    assert run(known).status == 0
    [left_out] = [result for result in read_results(known / REPORT).results if result.case == OWN]
    assert left_out.verdict == "blocked"
    assert "has run: false" in (left_out.explanation or "")


@pytest.mark.parametrize("cases", ["gather_elements.rule.index-rank/keep.one-axis*", "gather_elements.*"])
def test_a_call_that_an_entry_forbids_is_made_neither_ahead_of_others_nor_as_a_trial(
    tmp_path: Path, cases: str
) -> None:
    made = tmp_path / "made.txt"
    noted = f'open({str(made)!r}, "a").write(f"{{input.tolist()}}\\n")'
    adapter = ADAPTER.format(wrong="").replace("    return np.take", f"    {noted}\n    return np.take")
    (tmp_path / "mine.py").write_text(adapter)
    entry = {"cases": cases, "api": "fake.steady", "kind": "hung", "run": False, "reason": "It hangs."}
    (tmp_path / "divergences.yaml").write_text(json.dumps({"divergences": {"hangs": {**entry, "link": "unreported"}}}))
    words = ["run", "./mine.py", "--here", "--operation", "gather_elements", "-q", "-k"]
    conformance(*words, "index-rank or example", cwd=tmp_path)
    calls = made.read_text() if made.exists() else ""
    assert "[50, 60, 70]" not in calls
    assert bool(calls) is (cases != "gather_elements.*")


def test_an_entry_about_a_renamed_case_of_own_specs_is_migrated_and_exported(known: Path) -> None:
    shutil.copytree(FAKES / "specs", known / "specs")
    [spec] = (known / "specs").glob("gather_elements*.yaml")
    spec.write_text(f"{spec.read_text()}renamed:\n  gather_elements.example.luck: gather_elements.example.lucky\n")
    file = known / "divergences.yaml"
    recorded = file.read_text()
    for settings in (False, True):
        file.write_text(recorded.replace("example.lucky/", "example.luck/"))
        (known / "pyproject.toml").write_text('[tool.conformance]\nspecs = "specs"\n' if settings else "")
        words = () if settings else ("--specs", "specs")
        assert conformance("known", "migrate", "./order_dependent.py", *words, cwd=known).status == 0
        assert file.read_text() == recorded
        exported = conformance("known", "export", "./order_dependent.py", "--to", "ids", *words, cwd=known).out
        assert f"{OWN} fake.steady" in exported


def test_the_calls_of_the_suites_entries_are_exported_one_a_line() -> None:
    ids = conformance("known", "export", "keras", "--to", "ids", cwd=REPOSITORY).out.splitlines()
    calls, comments = [line for line in ids if line[0] != "#"], [line for line in ids if line[0] == "#"]
    entries = json.loads(conformance("known", "list", "keras", "--json", cwd=REPOSITORY).out)
    assert len(comments) == len(entries)
    assert all(f"# {entry['id']}" in comment for entry, comment in zip(entries, comments, strict=True))
    skipped = conformance("known", "export", "keras", "--to", "pytest-skip", cwd=REPOSITORY).out.splitlines()
    case, api = calls[0].split()
    assert f"conformance::keras::{case}[{api}]" in skipped


def test_update_shows_the_change_as_a_diff_and_does_nothing_the_second_time(unknown: Path) -> None:
    done = conformance("known", "update", REPORT, *REASON, cwd=unknown)
    added = [line[1:] for line in done.out.splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert "\n".join(added) + "\n" == (unknown / "divergences.yaml").read_text()
    again = conformance("known", "update", REPORT, *REASON, cwd=unknown)
    assert (again.status, again.out) == (0, "")


def test_a_report_by_the_current_ledgers_passes_once_an_entry_records_what_the_run_found(unknown: Path) -> None:
    """Without a second run; the results that are read stay as they are."""
    assert conformance("known", "update", REPORT, *REASON, cwd=unknown).status == 0
    before = read_results(unknown / REPORT)
    done = conformance("report", REPORT, "--current-ledgers", "--output", "again", cwd=unknown)
    assert done.status == 0, done.err
    again = read_results(unknown / "again")
    assert {result.known for result in before.results} == {None}
    assert {each.id for each in again.known.values()} == {result.known for result in again.results if result.known}
    assert done.out.startswith("passed")
    assert conformance("report", REPORT, "--output", "as-it-was", cwd=unknown).out.startswith("failed")


def test_the_current_ledgers_need_a_folder_and_the_adapters_of_the_results(unknown: Path) -> None:
    words = ("report", REPORT, "--current-ledgers")
    assert "--current-ledgers needs --output DIR" in conformance(*words, cwd=unknown).err
    assert "--current-ledgers is for reports" in conformance(*words, "--stable", "--output", "kept", cwd=unknown).err
    (unknown / "order_dependent.py").unlink()
    done = conformance(*words, "--output", "again", cwd=unknown)
    assert done.status == 4
    assert "order_dependent.py, which is in the results" in done.err


def test_results_of_another_folder_need_the_file_of_known_divergences(
    known: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (known / "divergences.yaml").unlink()
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    update = ("known", "update", known / REPORT, *REASON)
    done = conformance(*update, cwd=elsewhere)
    assert done.status == 4
    assert "name the file with --known" in done.err
    assert conformance(*update, "--known", known / "divergences.yaml", cwd=elsewhere).status == 0
    assert run(known).status == 0


def test_known_divergences_that_cannot_be_used_end_a_run_before_it_starts(known: Path) -> None:
    known_divergences = known / "divergences.yaml"
    known_divergences.write_text(known_divergences.read_text().replace("kind: value", "kind: valeu"))
    done = run(known, "--output", "other")
    assert done.status == 4
    assert "divergences.yaml:" in done.err
    assert "did you mean 'value'?" in done.err
    assert not (known / "other").exists()


def test_an_entry_about_no_case_ends_a_run_and_a_check_with_4(known: Path) -> None:
    done = conformance("run", "./order_dependent.py", "--here", "--output", "other", cwd=known)
    assert done.status == 4
    assert "no case matches 'gather_elements.example.lucky/" in done.err
    assert not (known / "other").exists()
    assert conformance("check", "order_dependent.py", cwd=known).status == 4
    assert conformance("check", "order_dependent.py", FAKES / "specs", cwd=known).status == 0


def test_an_entry_about_an_api_that_is_not_mapped_fails_a_check(known: Path) -> None:
    known_divergences = known / "divergences.yaml"
    known_divergences.write_text(known_divergences.read_text().replace("fake.steady", "fake.stedy"))
    done = conformance("check", "order_dependent.py", FAKES / "specs", cwd=known)
    assert done.status == 4
    assert "did you mean 'fake.steady'?" in done.err


def test_the_entries_are_listed_for_people_and_for_programs(known: Path) -> None:
    assert "One is added." in conformance("known", "list", "./order_dependent.py", cwd=known).out
    [entry] = json.loads(conformance("known", "list", "./order_dependent.py", "--json", cwd=known).out)
    assert (entry["id"], entry["kind"], entry["link"]) == ("steady-lucky", ["value"], "unreported")
    assert entry["cases"] == ["gather_elements.example.lucky/*"]


def test_the_suites_own_known_divergences_are_listed_by_framework(tmp_path: Path) -> None:
    assert conformance("known", "list", cwd=tmp_path).status == 0
    done = conformance("known", "list", "torhc", cwd=tmp_path)
    assert done.status == 4
    assert "did you mean 'torch'?" in done.err


def test_on_a_terminal_missing_reasons_and_links_are_asked_for_until_valid(unknown: Path) -> None:
    shown = at_a_terminal(unknown, ["  ", "It adds one.", "nope", ""], "known", "update", REPORT)
    assert "the reason is empty" in shown
    assert "expected the URL of the thread" in shown
    [entry] = json.loads(conformance("known", "list", "./order_dependent.py", "--json", cwd=unknown).out)
    assert (entry["reason"], entry["link"]) == ("It adds one.", "unreported")


def at_a_terminal(folder: Path, answers: list[str], *words: str) -> str:
    """What a command shows on a terminal where each question is answered in turn."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "conformance", *words]
    shown = ""
    with subprocess.Popen(command, cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs):
        os.close(theirs)
        with contextlib.suppress(OSError):  # which a terminal gives at its end
            while read := os.read(ours, 4096):
                shown += read.decode()
                if answers and shown.endswith(("reason: ", "[unreported]: ")):
                    os.write(ours, f"{answers.pop(0)}\n".encode())
    os.close(ours)
    return shown
