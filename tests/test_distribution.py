"""Another project has the name conformance in the package index; both may be installed at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.distribution import rivals
from tests.cli.command import conformance


def installed(folder: Path, name: str, *, command: str = "", package: str = "") -> Path:
    """A folder in which a distribution with a command and an import package is installed."""
    about = folder / f"{name.replace('-', '_')}-0.1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n")
    (about / "RECORD").write_text(f"{package}/__init__.py,,\n" if package else "")
    if package:
        (folder / package).mkdir()
        (folder / package / "__init__.py").touch()
    if command:
        (about / "entry_points.txt").write_text(f"[console_scripts]\n{command} = other.main:main\n")
    return folder


@pytest.mark.parametrize(
    ("command", "instead"),
    [("conformance", "use opconform instead"), ("opconform", "use python -m conformance instead")],
)
def test_a_command_of_the_same_name_is_named_with_one_that_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, instead: str
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(installed(tmp_path, "conformance", command=command))])
    [sentence] = rivals()
    assert f"conformance 0.1.0 is installed too, and provides a command {command}" in sentence
    assert instead in sentence


def test_an_import_package_of_the_same_name_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(installed(tmp_path, "other-suite", package="conformance"))])
    [sentence] = rivals()
    assert "other-suite 0.1.0 is installed too, and provides the import package conformance" in sentence


def test_other_distributions_are_no_rivals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(installed(tmp_path, "other", command="other", package="other"))])
    assert rivals() == []


def test_check_warns_of_a_rival_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(installed(tmp_path, "conformance", command="conformance"))])
    done = conformance("check", "reference", cwd=tmp_path)
    assert done.status == 0
    assert "warning: the distribution conformance 0.1.0 is installed too" in done.err
    assert "ok: adapter" in done.out


def test_both_names_of_the_command_are_the_same_program() -> None:
    folder = Path(sys.executable).parent
    if not (folder / "opconform").exists():
        pytest.skip("the suite is not installed in this environment")
    versions = {
        subprocess.run([folder / name, "--version"], capture_output=True, text=True, check=True, env=os.environ).stdout
        for name in ("conformance", "opconform")
    }
    assert len(versions) == 1
