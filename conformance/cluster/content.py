"""Ships specs, adapters and known divergences to machines, once each, by content."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path, PurePosixPath

from conformance.cases.store.folder import cases_folder
from conformance.data_folders import data_folder
from conformance.environments.stored import home_folder
from conformance.environments.target_toml import FILE_NAME
from conformance.files import read_regular
from conformance.known.model import NAME

_FOLDERS = ("adapters", "specs")
_KEPT = 20
"""Number of unpacked contents to keep on a machine."""
_NAMES = ".names"
"""The file with the names of the files that were unpacked beside it."""


@dataclass(frozen=True)
class Content:
    """Files by their path in the folder in which a machine unpacks them."""

    files: Mapping[str, bytes]

    @cached_property
    def digest(self) -> str:
        return _digest(self.files)

    def packed(self) -> bytes:
        """All of it as one archive."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in self.files.items():
                archive.writestr(name, data)
        return buffer.getvalue()


def _digest(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        digest.update(f"{name}\0{hashlib.sha256(data).hexdigest()}\n".encode())
    return digest.hexdigest()[:24]


def suite_content() -> Content:
    """The specs and adapters of the suite."""
    return _content_of(data_folder())


def _content_of(folder: Path) -> Content:
    return Content({path.relative_to(folder).as_posix(): path.read_bytes() for path in _files(folder)})


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(file for name in _FOLDERS for file in (folder / name).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path


@dataclass(frozen=True)
class UserFiles:
    """The user's own files that a command names, and where a machine finds them."""

    content: Content | None
    paths: Mapping[str, str]
    """By the path on the command line, the path on a machine, relative to the folder of the content."""


def user_files(
    adapters: Sequence[Path], specs: Path | None, cases: Sequence[Path], more: Mapping[str, bytes]
) -> UserFiles:
    """Collect adapters with what lies beside them, specs, case files and more files."""
    files = dict(more)
    paths: dict[str, str] = {}
    for number, adapter in enumerate(adapters):
        place = _place(adapter, number)
        paths[str(adapter)] = f"./{place}"
        files[place] = adapter.read_bytes()
        for name in (FILE_NAME, NAME):
            if adapter.with_name(name).is_file():
                files[str(PurePosixPath(place).with_name(name))] = adapter.with_name(name).read_bytes()
    for number, path in enumerate((*cases, *([specs] if specs is not None else [])), len(adapters)):
        place = _place(path, number)
        paths[str(path)] = f"./{place}"
        files |= {f"{place}{suffix}": data for suffix, data in _below(path)}
    return UserFiles(Content(files) if files else None, paths)


def _place(path: Path, number: int) -> str:
    """The same relative path if it is in the current folder, since records name it; otherwise a folder of its own."""
    absolute = path.expanduser().absolute()
    if not path.is_absolute() and ".." not in path.parts and absolute.is_relative_to(Path.cwd()):
        return path.as_posix()
    return f"elsewhere/{number}/{absolute.name}"


def _below(path: Path) -> Iterator[tuple[str, bytes]]:
    """The file, or the files of a folder, with what follows the path of the folder."""
    if path.is_file():
        yield "", path.read_bytes()
    for file in sorted(path.rglob("*")) if path.is_dir() else ():
        if file.is_file() and "__pycache__" not in file.parts:
            yield f"/{file.relative_to(path).as_posix()}", file.read_bytes()


@cache
def _own_digest() -> str:
    return suite_content().digest


def content_folder(digest: str) -> Path:
    """The folder with a content on this machine, whether or not it exists."""
    return data_folder() if digest == _own_digest() else home_folder() / "cluster" / digest


def used(digest: str) -> Path:
    """The folder with a content, which is kept longer if it is used."""
    folder = content_folder(digest)
    with contextlib.suppress(OSError):
        os.utime(folder)
    return folder


def missing(digests: Sequence[str]) -> list[str]:
    """The contents that this machine does not have, or whose files were damaged or changed."""
    return [digest for digest in digests if digest != _own_digest() and not _is_whole(content_folder(digest), digest)]


def _is_whole(folder: Path, digest: str) -> bool:
    """Whether the files that were unpacked are still those with this digest; what a unit wrote beside them does not matter."""
    try:
        names = (folder / _NAMES).read_text(encoding="utf-8").splitlines()
        return _digest({name: read_regular(folder / name) for name in names}) == digest
    except (OSError, ValueError):
        return False


def store(digest: str, packed: bytes) -> None:
    """Unpack a content, in place of a damaged one, unless another process has in the meantime; OSError as of a full disk."""
    folder = content_folder(digest)
    if _is_whole(folder, digest):
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        new = Path(temporary) / digest
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            archive.extractall(new)
            (new / _NAMES).write_text("\n".join(archive.namelist()), encoding="utf-8", newline="\n")
        if not _is_whole(folder, digest):
            with contextlib.suppress(FileNotFoundError):
                folder.rename(Path(temporary) / "damaged")
            new.replace(folder)
    _remove_old(folder.parent)


def _remove_old(folder: Path) -> None:
    contents = sorted((path for path in folder.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime)
    for path in contents[:-_KEPT]:
        shutil.rmtree(cases_folder(home_folder(), path / "specs"), ignore_errors=True)
        shutil.rmtree(path, ignore_errors=True)
