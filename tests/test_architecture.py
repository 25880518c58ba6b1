"""Imports point one way, and what runs inside a target brings nothing along."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import conformance

PACKAGE = Path(conformance.__file__).parent
LAYERS = {
    "worker": {"adapter", "worker"},
    "data_folders": set[str](),
    "specification": {"data_folders", "specification"},
    "documentation": {"specification", "documentation"},
    "outcomes": {"specification", "outcomes", "worker"},
    "cases": {"adapter", "data_folders", "specification", "outcomes", "cases", "worker"},
    "strategies": {"data_folders", "specification", "cases"},
    "judging": {"specification", "outcomes", "cases", "judging"},
    "environments": {"adapter", "data_folders", "specification", "environments"},
    "processes": {"data_folders", "outcomes", "environments", "processes", "worker"},
    "results": {"specification", "outcomes", "cases", "judging", "results"},
    "events": {"results"},
    "known": {"specification", "cases", "judging", "results", "findings", "known"},
    "execution": {
        *(
            "adapter",
            "data_folders",
            "specification",
            "documentation",
            "outcomes",
            "cases",
            "strategies",
            "judging",
            "environments",
            "processes",
        ),
        *("worker", "results", "events", "known", "execution"),
    },
    "findings": {"specification", "outcomes", "judging", "results", "findings"},
    "export": {
        *("adapter", "data_folders", "specification", "documentation", "cases", "judging", "worker", "export"),
    },
    "runtimes": {
        *("specification", "outcomes", "cases", "judging", "processes", "worker", "results", "known", "execution"),
        *("events", "export", "runtimes"),
    },
    "reports": {"outcomes", "judging", "results", "events", "findings", "reports"},
    "matrix": {"environments", "cases", "results", "known", "execution", "matrix"},
    "cluster": {
        *("data_folders", "cases", "environments", "results", "events", "known", "execution", "matrix", "cluster"),
    },
    "repro": {
        *(
            "adapter",
            "data_folders",
            "specification",
            "outcomes",
            "cases",
            "judging",
            "environments",
            "results",
            "findings",
            "reports",
        ),
        *("worker", "repro"),
    },
    "app": {
        *(
            "data_folders",
            "specification",
            "cases",
            "judging",
            "environments",
            "processes",
            "results",
            "events",
            "known",
            "execution",
            "reports",
        ),
        *("matrix", "worker", "app"),
    },
    "api": {
        *("adapter", "data_folders", "specification", "outcomes", "cases", "judging", "results", "execution"),
        *("findings", "reports", "worker", "app", "api"),
    },
    "pytest_plugin": {
        *(
            "data_folders",
            "specification",
            "cases",
            "outcomes",
            "judging",
            "environments",
            "processes",
            "results",
            "known",
            "execution",
            "reports",
        ),
        *("app", "api", "pytest_plugin"),
    },
}
"""Each room, and the rooms that it may know."""
FOUNDATION = {"distribution", "files", "version"}
"""What knows no room, so that every room may know it."""


def _imports(path: Path, modules: Collection[str] = ()) -> set[str]:
    """The modules that a file imports, anywhere in it: in place of a package those of ``modules`` that it imports from it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in modules else str(node.module) for name in names}
    return found


def _module(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _files(room: str) -> list[Path]:
    return sorted((PACKAGE / room).rglob("*.py")) or [PACKAGE / f"{room}.py"]


@pytest.mark.parametrize("room", LAYERS)
def test_a_room_knows_only_the_rooms_below_it(room: str) -> None:
    for path in _files(room):
        rooms = {name.split(".")[1] for name in _imports(path) if name.startswith("conformance.")}
        rooms -= FOUNDATION
        assert rooms <= LAYERS[room], f"{path.relative_to(PACKAGE)} imports {sorted(rooms - LAYERS[room])}"


@pytest.mark.parametrize("room", [*LAYERS, "cli"])
def test_a_room_has_no_circle_of_imports_inside(room: str) -> None:
    """Imports within functions and under ``TYPE_CHECKING`` count too: who reads one file of a circle needs them all."""
    files = {_module(path): path for path in _files(room)}
    graph = {module: _imports(path, files) & files.keys() - {module} for module, path in files.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def test_only_the_command_line_imports_the_command_line() -> None:
    start = PACKAGE / "__main__.py"  # python -m conformance
    others = [path for path in PACKAGE.rglob("*.py") if not path.is_relative_to(PACKAGE / "cli") and path != start]
    importing = [path for path in others if any(name.startswith("conformance.cli") for name in _imports(path))]
    assert not importing, [str(path.relative_to(PACKAGE)) for path in importing]


def test_no_room_imports_the_package_that_names_what_is_public() -> None:
    importing = [path for path in PACKAGE.rglob("*.py") if "conformance" in _imports(path)]
    assert not importing, [str(path.relative_to(PACKAGE)) for path in importing]


@pytest.mark.parametrize("module", sorted(FOUNDATION))
def test_what_every_room_may_know_knows_none(module: str) -> None:
    assert not {name for path in _files(module) for name in _imports(path) if name.startswith("conformance")}


def test_nothing_in_the_package_imports_a_framework() -> None:
    frameworks = {
        "torch",
        "tensorflow",
        "mindspore",
        "jax",
        "onnxruntime",
        "openvino",
        "paddle",
        "keras",
        "mlx",
        "array_api_strict",
        "pytensor",
    }
    adapters = PACKAGE / "data"  # in an installed package
    for path in (path for path in PACKAGE.rglob("*.py") if not path.is_relative_to(adapters)):
        # onnx is the library of a file format, an extra, and needed only to write such files.
        forbidden = frameworks if path.is_relative_to(PACKAGE / "export") else {*frameworks, "onnx"}
        assert not {name.partition(".")[0] for name in _imports(path)} & forbidden, path


def test_what_is_staged_into_a_target_needs_the_standard_library_and_numpy_alone() -> None:
    allowed = {*sys.stdlib_module_names, "numpy", "conformance", "__future__"}
    for path in [*_files("worker"), *_files("adapter"), PACKAGE / "repro" / "in_target.py"]:
        assert {name.partition(".")[0] for name in _imports(path)} <= allowed, path
        ast.parse(path.read_text(), feature_version=(3, 9))
