"""The published cases of the specs, and the epoch that is raised when one of them goes or changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.data_folders import specs_folder
from conformance.specification.epoch import EPOCH, Epoch, epoch_problems, read_epoch, write_epoch
from conformance.specification.loader import load_specs
from conformance.specification.problems import SpecError

PUBLISHED = {"o.rule.a/one": "0" * 16, "o.rule.a/two": "1" * 16, "o.rule.b/one": "2" * 16}
CHANGED = {**PUBLISHED, "o.rule.a/two": "f" * 16}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_epoch(tmp_path, PUBLISHED)
    return tmp_path


def _rest(cases: dict[str, str], without: str) -> dict[str, str]:
    return {case: digest for case, digest in cases.items() if case != without}


def test_the_first_epoch_is_one_and_has_a_line_for_each_case(folder: Path) -> None:
    assert read_epoch(folder) == Epoch(1, PUBLISHED)
    lines = (folder / EPOCH).read_text().splitlines()
    assert lines == ["epoch 1", *(f"{case} {digest}" for case, digest in PUBLISHED.items())]


def test_new_cases_need_no_other_epoch_and_change_no_line(folder: Path) -> None:
    more = {"o.rule.a/three": "3" * 16, **PUBLISHED}
    assert epoch_problems(folder, more) == []
    before = (folder / EPOCH).read_text().splitlines()
    assert write_epoch(folder, more)[0].number == 1
    assert set(before) < set((folder / EPOCH).read_text().splitlines())


@pytest.mark.parametrize(
    ("cases", "says"),
    [
        (CHANGED, "other call or expectation: o.rule.a/two"),
        (_rest(PUBLISHED, "o.rule.b/one"), "gone: o.rule.b/one"),
        (_rest(CHANGED, "o.rule.b/one"), "other call or expectation: o.rule.a/two; gone: o.rule.b/one"),
    ],
)
def test_a_case_that_went_or_changed_is_named_with_the_command_that_raises_the_epoch(
    folder: Path, cases: dict[str, str], says: str
) -> None:
    [problem] = epoch_problems(folder, cases)
    assert f"not the published cases of epoch 1 ({says})" in problem.message
    assert "conformance check --update-epoch raises the epoch" in problem.message
    assert write_epoch(folder, cases)[0] == Epoch(2, cases) == read_epoch(folder)
    assert epoch_problems(folder, cases) == []


def test_of_many_cases_that_changed_ten_are_named(folder: Path) -> None:
    write_epoch(folder, {f"o.rule.a/{number:03}": "0" * 16 for number in range(30)})
    [problem] = epoch_problems(folder, {})
    assert "o.rule.a/009 and 20 more" in problem.message


def test_a_file_with_conflicts_of_a_merge_is_refused_and_can_be_written_again(folder: Path) -> None:
    ours, theirs = PUBLISHED["o.rule.a/two"], CHANGED["o.rule.a/two"]
    text = (folder / EPOCH).read_text().replace("epoch 1", "<<<<<<< ours\nepoch 2\n=======\nepoch 4\n>>>>>>> theirs")
    both = f"<<<<<<< ours\no.rule.a/two {ours}\n=======\no.rule.a/two {theirs}\n>>>>>>> theirs"
    (folder / EPOCH).write_text(text.replace(f"o.rule.a/two {ours}", both))
    with pytest.raises(
        SpecError, match=r"'<<<<<<< ours': expected 'epoch NUMBER'; conformance check --update-epoch writes"
    ):
        read_epoch(folder)
    assert write_epoch(folder, CHANGED)[0] == Epoch(5, CHANGED) == read_epoch(folder)


@pytest.mark.parametrize("text", ["", "1\n", "epoch one\n", "epoch 1\no.rule.a/one\n", "epoch 1\na/b xyz\n"])
def test_anything_else_in_the_file_is_refused_with_its_line(folder: Path, text: str) -> None:
    (folder / EPOCH).write_text(text)
    with pytest.raises(SpecError, match=rf"{EPOCH}:[12]: '.*': expected"):
        read_epoch(folder)


def test_the_suites_specs_have_an_epoch_and_a_users_copy_has_none(tmp_path: Path) -> None:
    published = read_epoch(specs_folder())
    assert published is not None
    assert load_specs().epoch == published.number
    for name in ("index_copy.yaml", EPOCH):
        (tmp_path / name).write_bytes((specs_folder() / name).read_bytes())
    assert load_specs(tmp_path).epoch is None
