"""What pre-commit runs before a commit is what tox runs in CI."""

from __future__ import annotations

import configparser
from pathlib import Path

import yaml
from packaging.requirements import Requirement

REPOSITORY = Path(__file__).parent.parent


def _tox() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(REPOSITORY / "tox.ini", encoding="utf-8")
    return parser


def test_pre_commit_has_the_versions_of_tox() -> None:
    hooks = yaml.safe_load((REPOSITORY / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    linters = {text for hook in hooks for text in hook["additional_dependencies"] if Requirement(text).name != "tox"}
    [in_tox] = _tox()["testenv:lint"]["deps"].split()
    assert linters == {in_tox}
    assert str(Requirement(in_tox).specifier).startswith("==")


def test_the_version_of_tox_that_pre_commit_takes_is_one_that_the_file_allows() -> None:
    hooks = yaml.safe_load((REPOSITORY / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    [needed] = [text for hook in hooks for text in hook["additional_dependencies"] if Requirement(text).name == "tox"]
    assert str(Requirement(needed).specifier) == f">={_tox()['tox']['min_version']}"
