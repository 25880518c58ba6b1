"""What a release holds: the wheel what users need, the source distribution what contributors need."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest

from conformance import __version__
from conformance.environments.environment import prepare_uv

REPOSITORY = Path(__file__).parent.parent
pytestmark = pytest.mark.frameworks  # the build backend comes from a package index


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("distributions")
    uv = prepare_uv(tmp_path_factory.mktemp("home"), print, offline=False)
    built = uv.run("build", str(REPOSITORY), "--out-dir", str(folder), *uv.index_options)
    assert built.ok, built.errors
    return folder


def test_the_wheel_has_the_type_marker_and_the_data_and_no_tests(distributions: Path) -> None:
    [wheel] = distributions.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "conformance/py.typed",
        "conformance/data/specs/documents.yaml",
        "conformance/data/adapters/torch/target.toml",
        "conformance/data/reports/behaviours.json.gz",
    } <= names
    assert {name.partition("/")[0] for name in names} == {"conformance", f"opconform-{__version__}.dist-info"}


def test_the_source_distribution_has_what_contributors_need(distributions: Path) -> None:
    [archive] = distributions.glob("*.tar.gz")
    with tarfile.open(archive) as source:
        names = {name.partition("/")[2] for name in source.getnames()}
    assert {
        *("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "ARCHITECTURE.md", "tox.ini", "tests/__init__.py"),
        *(".pre-commit-config.yaml", ".github/workflows/release.yml", "action.yml", "conformance/py.typed"),
    } <= names
