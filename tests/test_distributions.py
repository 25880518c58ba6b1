"""What a release holds: the wheel what users need, the source distribution what contributors need."""

from __future__ import annotations

import re
import tarfile
import zipfile
from email import message_from_string
from email.message import Message
from pathlib import Path

import pytest

from conformance import __version__
from conformance.environments.environment import prepare_uv

REPOSITORY = Path(__file__).parent.parent
pytestmark = pytest.mark.frameworks  # the build backend comes from a package index


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("distributions")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GITHUB_REPOSITORY", "someone/a-fork")
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
        *(
            ".pre-commit-config.yaml",
            ".github/workflows/release.yml",
            "action.yml",
            "hatch_build.py",
            "conformance/py.typed",
        ),
    } <= names


def test_a_release_names_the_repository_that_it_was_built_in(distributions: Path) -> None:
    for metadata in metadata_of(distributions):
        urls = dict(text.split(", ") for text in metadata.get_all("Project-URL", []))
        assert urls["Source"] == "https://github.com/someone/a-fork"
        assert urls["Homepage"] == "https://someone.github.io/a-fork/"


def test_each_link_of_the_readme_in_the_package_index_leads_to_a_file_of_the_release(distributions: Path) -> None:
    for metadata in metadata_of(distributions):
        links = re.findall(r"\]\(([^)]*)\)", str(metadata.get_payload()))
        begin = f"https://github.com/someone/a-fork/blob/v{__version__}/"
        files = [link.removeprefix(begin).partition("#")[0] for link in links if link.startswith(begin)]
        assert len(files) > 10
        assert all((REPOSITORY / file).exists() for file in files)
        assert all(link.startswith(("https://", "#")) for link in links)
        pictures = re.findall(r"!\[[^\]]*\]\(([^)]*)\)", str(metadata.get_payload()))
        assert pictures
        assert all(picture.startswith("https://raw.githubusercontent.com/someone/a-fork/") for picture in pictures)


def metadata_of(distributions: Path) -> list[Message]:
    """What the wheel and the source distribution say of themselves."""
    [wheel], [archive] = distributions.glob("*.whl"), distributions.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as files, tarfile.open(archive) as source:
        [in_wheel] = [name for name in files.namelist() if name.endswith(".dist-info/METADATA")]
        in_source = source.extractfile(f"opconform-{__version__}/PKG-INFO")
        assert in_source is not None
        texts = [files.read(in_wheel), in_source.read()]
    return [message_from_string(text.decode()) for text in texts]
