"""What an environment consists of, without querying an index."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from conformance.environments.definition import Definition, Release, load_definition, release_for
from conformance.environments.errors import TargetError
from conformance.environments.packages import target_folders
from conformance.environments.target_toml import FILE_NAME


@dataclass(frozen=True)
class Attempt:
    """A set of requirements to try, the framework's first."""

    requirements: tuple[str, ...]
    torch_backend: str | None = None
    size: float | None = field(default=None, repr=False)
    """Gigabytes on disk, if known; not part of the digest, as it does not change the environment."""

    @property
    def label(self) -> str:
        backend = f" (--torch-backend {self.torch_backend})" if self.torch_backend else ""
        return self.requirements[0] + backend


@dataclass(frozen=True)
class Recipe:
    """An environment to create: the name of its folder, its Pythons, and the attempts in order."""

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
"""For a user's adapter file without a target.toml beside it."""


def recipe_for(definition: Definition, version: str, device: str, mode: str, *, own: bool) -> Recipe:
    """Return how to install a version for a device kind and a mode; raise TargetError if target.toml does not cover it.

    own: the definition is the user's own file; the name of its environment must be unique.
    """
    release = release_for(definition, version)
    if release is None:
        raise TargetError(
            f"{definition.title} {version} is not supported by {definition.folder / 'target.toml'}; supported: "
            f"{_supported(definition)}. Use one of these, or --python with an interpreter that already has {version}"
        )
    suffix = "-" + hashlib.sha256(str(definition.folder.absolute()).encode()).hexdigest()[:8] if own else ""
    needs = definition.modes[mode]
    recipe = Recipe(
        name=f"{definition.name}-{_padded(version)}-{device}{'' if needs.shares_environment else f'-{mode}'}{suffix}",
        title=f"{definition.title} {version}",
        package=definition.package,
        version=version,
        python=release.python,
        attempts=_attempts(definition, release, version, device),
    )
    for name in needs.targets:
        recipe = _with(recipe, _tested(name, device, definition))
    return replace(recipe, attempts=tuple(_with_extra(attempt, needs.extra) for attempt in recipe.attempts))


def _tested(name: str, device: str, definition: Definition) -> Recipe:
    """How the tested version of another target is installed."""
    folders = target_folders()
    if name not in folders:
        known = ", ".join(folders)
        raise TargetError(f"{definition.folder / FILE_NAME}: modes name the target {name!r}; available: {known}")
    other = load_definition(folders[name].folder / FILE_NAME, name)
    return recipe_for(other, other.tested or "", device, other.default_mode, own=False)


def _with(recipe: Recipe, other: Recipe) -> Recipe:
    """The first environment with the packages of the other one."""
    pairs = itertools.product(recipe.attempts, other.attempts)
    return replace(
        recipe,
        python=recipe.python & other.python,
        attempts=tuple(
            Attempt(
                (*first.requirements, *second.requirements),
                first.torch_backend or second.torch_backend,
                first.size and second.size and first.size + second.size,
            )
            for first, second in pairs
        ),
    )


def _with_extra(attempt: Attempt, extra: Sequence[str]) -> Attempt:
    return replace(attempt, requirements=(*attempt.requirements, *extra))


def _supported(definition: Definition) -> str:
    """``1.13 and later`` if the ranges of the releases follow each other without an end; otherwise all ranges."""
    bounds = [{part.operator: Version(part.version) for part in release.versions} for release in definition.releases]
    lower = {bound[">="] for bound in bounds if ">=" in bound}
    upper = {bound["<"] for bound in bounds if "<" in bound}
    if all(bound.keys() <= {">=", "<"} and ">=" in bound for bound in bounds) and lower - upper == {min(lower)}:
        return f"{min(lower)} and later" if upper < lower else f"{min(lower)} to below {max(upper)}"
    return ", ".join(str(release.versions) or "any" for release in definition.releases)


def _attempts(definition: Definition, release: Release, version: str, device: str) -> tuple[Attempt, ...]:
    if definition.package is None:
        return (Attempt((*release.extra, *definition.extra)),)
    installed_as = definition.devices[device].install_as or device
    options = [(option, option.requirement(version)) for option in release.install.get(installed_as, [])]
    attempts = tuple(
        Attempt((requirement, *release.extra, *definition.extra), option.torch_backend, option.size)
        for option, requirement in options
        if requirement is not None
    )
    if not attempts:
        needs = definition.devices[device].needs
        raise TargetError(
            f"{definition.title} {version} cannot be installed for device {device}{f' (needs {needs})' if needs else ''} by "
            f"{definition.folder / 'target.toml'}; use --python with an interpreter that already has it"
        )
    return attempts


def _padded(version: str) -> str:
    """Write 2.13 as 2.13.0, so that equal versions have equal names."""
    parsed = Version(version)
    missing = ".0" * (3 - len(parsed.release))
    return str(parsed).replace(parsed.base_version, parsed.base_version + missing, 1)
