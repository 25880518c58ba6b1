"""A toy framework: its wheels, its folder in an adapters folder, and a package index that holds it."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from conformance.environments.definition import Definition, find_definitions
from conformance.environments.environment import ensure, versions_in_range
from conformance.environments.resolve import Target, resolve
from conformance.environments.stored import Environment

PLAIN = """
[[releases]]
versions = ">=1"
python = ">=3.9"
install.cpu = [{package = "toy", local = "cpu"}, {package = "toy"}]
"""


def write_wheel(
    folder: Path, name: str, version: str, *, requires: Sequence[str] = (), python: str = "py3", code: str = ""
) -> Path:
    """Write a wheel with one module that knows its version, and this code, for the Pythons of a tag."""
    folder.mkdir(parents=True, exist_ok=True)
    module, info = name.replace("-", "_"), f"{name.replace('-', '_')}-{version}.dist-info"
    needs = "".join(f"Requires-Dist: {one}\n" for one in requires)
    files = {
        f"{module}/__init__.py": f"__version__ = {version!r}\n{code}",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: toys\nRoot-Is-Purelib: true\nTag: {python}-none-any\n",
    }
    record = "".join(f"{path},sha256={_digest(text)},{len(text)}\n" for path, text in files.items())
    path = folder / f"{module}-{version}-{python}-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name_inside, text in {**files, f"{info}/RECORD": f"{record}{info}/RECORD,,\n"}.items():
            wheel.writestr(name_inside, text)
    return path


def write_index(folder: Path, wheels: Sequence[Path]) -> Path:
    """Write a package index (PEP 503) of wheels of one package, and return its root."""
    page = folder / "simple" / wheels[0].name.partition("-")[0]
    page.mkdir(parents=True)
    for wheel in wheels:
        (page / wheel.name).write_bytes(wheel.read_bytes())
    links = "".join(f'<a href="{wheel.name}">{wheel.name}</a>\n' for wheel in wheels)
    (page / "index.html").write_text(f"<!DOCTYPE html><html><body>{links}</body></html>", encoding="utf-8")
    return folder / "simple"


def write_definition(adapters: Path, releases: str = PLAIN, *, name: str = "toy", tested: str = "1.0.0") -> None:
    folder = adapters / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "adapter.py").write_text("", encoding="utf-8")
    head = f'title = "Toy"\npackage = "{name}"\ntested = "{tested}"\n'
    tables = "[devices.cpu]\ngpu = false\n[devices.cuda]\ngpu = true\n[modes]\neager = {}\ncompile = {}\n"
    (folder / "target.toml").write_text(head + tables + releases, encoding="utf-8")


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


@dataclass
class Toys:
    """A home, a folder of wheels and an adapters folder; pip's settings know these wheels and nothing else."""

    home: Path
    wheels: Path
    adapters: Path
    environment: pytest.MonkeyPatch
    messages: list[str] = field(default_factory=list)

    def wheel(self, version: str, name: str = "toy", *, requires: Sequence[str] = (), python: str = "py3") -> Path:
        return write_wheel(self.wheels, name, version, requires=requires, python=python)

    def define(self, releases: str = PLAIN, *, name: str = "toy", tested: str = "1.0.0") -> None:
        write_definition(self.adapters, releases, name=name, tested=tested)

    def definitions(self) -> dict[str, Definition]:
        return find_definitions(self.adapters)

    def target(self, name: str, *, python: Path | None = None, here: bool = False) -> Target:
        (found,) = resolve([name], self.definitions(), python=python, here=here)
        return found

    def ensure(self, name: str, *, offline: bool = False) -> Environment:
        self.messages.clear()
        return ensure(self.target(name), report=self.messages.append, offline=offline, home=self.home)

    def versions(self, allowed: str) -> list[str]:
        definition = self.definitions()["toy"]
        return versions_in_range(definition, SpecifierSet(allowed), report=self.messages.append, home=self.home)

    def folders(self) -> list[str]:
        return sorted(path.name for path in (self.home / "environments").glob("*"))

    def pip(self, **settings: str) -> None:
        """Change pip's settings; an empty one counts as unset, as it does for pip."""
        for name, value in settings.items():
            self.environment.setenv(f"PIP_{name.upper()}", value)
