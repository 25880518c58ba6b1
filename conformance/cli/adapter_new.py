"""``conformance adapter new``: make a package with an adapter."""

from __future__ import annotations

import re
from pathlib import Path

import click
import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from conformance.app import loading
from conformance.app.errors import ConformanceError
from conformance.environments.packages import target_folders
from conformance.specification.model import Operation
from conformance.version import __version__

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*")
LONGEST_NAME = 100
"""The maximum number of characters of a name, which names of files contain."""
FILES = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "package.py": "src/{module}/__init__.py",
    "adapter.py": "src/{module}/adapter.py",
    "target.toml": "src/{module}/target.toml",
    "divergences.yaml": "src/{module}/divergences.yaml",
    "test_adapter.py": "tests/test_{name}.py",
    "workflow.yml": ".github/workflows/conformance.yml",
}
"""Each template and the file that it becomes."""
MAPPED = ("gather_elements", "scatter_nd")
"""The operations that the template of the adapter implements, as examples."""


def new_adapter(name: str, output: Path | None) -> int:
    """Write the package, and print the commands to run next."""
    if not _NAME.fullmatch(name):
        raise ConformanceError(
            f"{name!r} is not a name for a target; use lower-case letters and digits, with - or _ between"
        )
    if len(name) > LONGEST_NAME:
        raise ConformanceError(f"the name has {len(name)} characters; at most {LONGEST_NAME} are allowed")
    if name in target_folders():
        raise ConformanceError(
            f"there is a target {name!r} already (see conformance list targets); choose another name"
        )
    folder = output or Path(f"opconform-{name}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConformanceError(f"{folder} exists and is not empty; choose another one with --output")
    module = f"conformance_{name.replace('-', '_')}"
    values = {"name": name, "module": module, "version": __version__, "numpy": np.__version__, "stubs": _stubs(name)}
    templates = Environment(
        loader=PackageLoader("conformance.cli", "templates"),
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - the files are not HTML
        variable_start_string="<<",
        variable_end_string=">>",
    )
    for template, path in FILES.items():
        file = folder / path.format(module=module, name=name.replace("-", "_"))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(templates.get_template(f"{template}.jinja").render(values), encoding="utf-8")
        click.echo(str(file))
    click.echo(
        f"\nnext:\n  cd {folder}\n  pip install -e '.[test]'\n  conformance adapter check {name} --here\n  pytest"
    )
    return 0


def _stubs(name: str) -> str:
    """A function for each operation that the template does not implement, commented out."""
    operations = loading.catalogue(None).operations.values()
    return "\n\n\n".join(_stub(name, operation) for operation in operations if operation.name not in MAPPED)


def _stub(name: str, operation: Operation) -> str:
    parameters = ", ".join(
        f"{argument}={1 if spec.number else None}" if spec.optional else argument
        for argument, spec in operation.arguments.items()
    )
    lines = [
        f'@api("{name}.{operation.name}", operation="{operation.name}")',
        f"def {operation.name}({parameters}):",
        f"    return {name.replace('-', '_')}.{operation.name}({', '.join(operation.arguments)})",
    ]
    return "\n".join(f"# {line}" for line in lines)
