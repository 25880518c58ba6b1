"""What an environment is made of, decided before anything is asked of an index."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from conformance.targets.definition import Definition, Release, Way, release_for
from conformance.targets.errors import TargetError


@dataclass(frozen=True)
class Attempt:
    """One set of requirements to try, the framework's first."""

    requirements: tuple[str, ...]
    torch_backend: str | None = None
    size: float | None = field(default=None, repr=False)
    """Gigabytes on the disk, where known; an environment is none other for it, so that it is no part of a digest."""

    @property
    def shown(self) -> str:
        backend = f" (--torch-backend {self.torch_backend})" if self.torch_backend else ""
        return self.requirements[0] + backend


@dataclass(frozen=True)
class Recipe:
    """An environment to be made: its folder's name, its Pythons, and the attempts in their order."""

    name: str
    title: str
    package: str | None
    version: str | None
    python: SpecifierSet
    attempts: tuple[Attempt, ...]

    @property
    def digest(self) -> str:
        return hashlib.sha256(repr(self.attempts).encode()).hexdigest()[:16]


NUMPY_ONLY = Recipe(
    name="numpy-only",
    title="NumPy",
    package=None,
    version=None,
    python=SpecifierSet(">=3.9"),
    attempts=(Attempt(("numpy",)),),
)
"""For a user's adapter file that has no target.toml beside it."""


def recipe_for(definition: Definition, version: str, device: str, *, own: bool) -> Recipe:
    """Say how a version is installed for a device kind; TargetError where target.toml does not know.

    own: the definition is the user's own file, whose environment must not share a name with another's.
    """
    release = release_for(definition, version)
    if release is None:
        known = ", ".join(str(one.versions) or "any" for one in definition.releases)
        raise TargetError(
            f"{definition.title} {version}: {definition.folder / 'target.toml'} says how to install {known}; "
            "name such a version, or an interpreter that has this one with --python"
        )
    suffix = "-" + hashlib.sha256(str(definition.folder.absolute()).encode()).hexdigest()[:8] if own else ""
    return Recipe(
        name=f"{definition.name}-{_padded(version)}-{device}{suffix}",
        title=f"{definition.title} {version}",
        package=definition.package,
        version=version,
        python=release.python,
        attempts=_attempts(definition, release, version, device),
    )


def _attempts(definition: Definition, release: Release, version: str, device: str) -> tuple[Attempt, ...]:
    if definition.package is None:
        return (Attempt(tuple(release.extra)),)
    attempts = [_attempt(way, release, version) for way in release.install.get(device, [])]
    known = tuple(one for one in attempts if one is not None)
    if not known:
        needs = definition.devices[device].needs
        raise TargetError(
            f"{definition.title} {version}: {definition.folder / 'target.toml'} has no way to install it for the device "
            f"{device}{f', which needs {needs}' if needs else ''}; name an interpreter that has it with --python"
        )
    return known


def _attempt(way: Way, release: Release, version: str) -> Attempt | None:
    requirement = way.requirement(version)
    return None if requirement is None else Attempt((requirement, *release.extra), way.torch_backend, way.size)


def _padded(version: str) -> str:
    """Give 2.13 and 2.13.0, which are one version, one name."""
    parsed = Version(version)
    missing = ".0" * (3 - len(parsed.release))
    return str(parsed).replace(parsed.base_version, parsed.base_version + missing, 1)
