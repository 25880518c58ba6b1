"""The ``target.toml`` beside an adapter: devices, modes, and how to install each version range."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from conformance.adapter import BACKEND, PRELOAD, REPLACES
from conformance.distribution import DISTRIBUTION
from conformance.environments.errors import TargetError
from conformance.environments.packages import target_folders, warn
from conformance.environments.target_toml import FILE_NAME, ExtendsError, base_folder, read_target_toml
from conformance.specification.problems import nearest
from conformance.specification.vocabulary import Passing

THREADS = ("OMP_NUM_THREADS",)
"""The default of ``threads``."""


class DefinitionError(TargetError):
    """An invalid target.toml; the message has a line for each error."""


def _specifiers(value: Any) -> SpecifierSet:
    try:
        return SpecifierSet(value)
    except (InvalidSpecifier, TypeError, AttributeError):
        raise ValueError('not a version range such as ">=2.9,<3"') from None


def _requirement(value: str) -> str:
    try:
        Requirement(value)
    except InvalidRequirement:
        raise ValueError('not a requirement such as "numpy<2"') from None
    return value


def _version(value: str) -> str:
    try:
        return str(Version(value))
    except InvalidVersion:
        raise ValueError('not a version such as "2.13.0"') from None


def _variable(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        raise ValueError("not the name of an environment variable")
    return value


def _text(value: str) -> str:
    if "\0" in value:
        raise ValueError("has a null character, which no environment variable can have")
    return value


def _module(value: str) -> str:
    if not all(map(str.isidentifier, value.split("."))):
        raise ValueError("not the name of a module")
    return value


def _dtype(value: str) -> str:
    from conformance.specification.dtypes import NAMES  # with NumPy, which few files need

    if value not in NAMES:
        raise ValueError(f"not a dtype{nearest(value, NAMES)}")
    return value


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Specifiers = Annotated[SpecifierSet, BeforeValidator(_specifiers)]
RequirementText = Annotated[str, AfterValidator(_requirement)]
VersionText = Annotated[str, AfterValidator(_version)]
Variable = Annotated[str, AfterValidator(_variable)]
Text = Annotated[str, AfterValidator(_text)]
"""What can be the value of an environment variable."""
Module = Annotated[str, AfterValidator(_module)]
DtypeName = Annotated[str, AfterValidator(_dtype)]
Patterns = Annotated[list[str], BeforeValidator(_as_list), Field(min_length=1)]
"""Names, or patterns of names; one of them may stand alone."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, strict=True)


class Device(_Model):
    """A kind of device; ``cuda`` stands for ``cuda:1`` too."""

    gpu: bool
    """Whether statements about GPUs in the documents apply to it; those about CPUs only apply to ``cpu``."""
    needs: str | None = None
    """What it needs that cannot be installed, such as "the driver of the NPU and torch-npu"."""
    install_as: str | None = Field(None, alias="install-as")
    """The device whose packages it needs; by default its own."""
    driver: list[str] = []
    """Patterns of files on Linux of which one exists where the device does; nothing is installed for it without one."""
    forks: bool | None = None
    """Whether workers can be forked from a process that has imported the framework: importing it must not use the device's driver.

    By default it is tried where the device has no driver.
    """

    @property
    def has_driver(self) -> bool:
        """Whether it needs a driver, as far as its keys say: it is a GPU, has files of one, or needs what cannot be installed."""
        return self.gpu or bool(self.driver) or self.needs is not None


class Mode(_Model):
    """An execution mode and its cost in seconds; a run makes fewer calls in an expensive mode."""

    compiled: bool = False
    """Whether the adapter's ``prepare`` compiles functions."""
    error_types: bool | None = None
    """Whether errors have the types that they have when nothing is compiled; by default if the mode does not compile."""
    first: float = Field(0.0, ge=0)
    """Seconds for the first call of a worker, without importing the framework."""
    shape: float = Field(0.0, ge=0)
    """Seconds for a call with new shapes or dtypes."""
    passes: list[Passing] = []
    """What it can compile besides tensors as arguments: tensors as constants, numbers and shapes as arguments,
    and programs around a call; and whether it takes tensors that share memory."""
    transforms: bool = True
    """Whether it can compute what the adapter's hooks for transforms, such as ``vjp``, do with an API."""
    path: bool = False
    """Whether each API is exported and run by something else than the framework itself, as when a model is ported."""
    compile_limit: float = Field(120.0, alias="compile-limit", ge=0)
    """Seconds that compiling may add to the time limit of a call."""
    sampled: bool | None = None
    """Whether only a sample of the calls is made; by default if ``shape`` is at least 10 ms, and each call is compiled alone."""
    workers: int = Field(1, ge=1, le=16)
    """Number of processes that share its calls; more than one if it waits more than it computes."""
    together: int = Field(1, ge=1)
    """Number of calls that are compiled at once; the adapter's ``prepare`` must then take functions of several results."""
    extra: list[RequirementText] = []
    """Requirements of this mode alone; its environment is then its own."""
    targets: list[str] = []
    """Other targets whose tested versions it needs too, installed as their own target.toml says."""
    variables: dict[Variable, Text] = {}
    """Environment variables set before the framework is imported, in addition to those of all modes."""
    caches: list[Variable] = []
    """Environment variables that name a folder in which its compiler keeps what it has compiled."""

    @property
    def shares_environment(self) -> bool:
        """Whether it needs nothing that the framework's other modes do not."""
        return not (self.extra or self.targets)

    @property
    def keeps_error_types(self) -> bool:
        """Whether the types of errors are judged."""
        return not self.compiled if self.error_types is None else self.error_types


class InstallOption(_Model):
    """A package to try to install; the first option that resolves is used."""

    package: RequirementText
    local: str | None = None
    """Require the build with this local version, such as ``cpu`` in 2.13.0+cpu."""
    not_local: str | None = Field(None, alias="not-local")
    """Exclude the build with this local version, which one of the user's indexes may have."""
    torch_backend: str | None = Field(None, alias="torch-backend")
    """Value of uv's ``--torch-backend``, which selects an index of PyTorch."""
    size: float | None = Field(None, gt=0)
    """Gigabytes on disk, including dependencies."""

    def requirement(self, version: str) -> str | None:
        """Return the requirement for this version, or None if its local part does not match this option."""
        local = Version(version).local
        if self.local is not None and local not in (None, self.local):
            return None
        if self.not_local is not None and local == self.not_local:
            return None
        required = f"+{self.local}" if self.local and not local else ""
        excluded = f",!={version}+{self.not_local}" if self.not_local and not local else ""
        return f"{self.package}=={version}{required}{excluded}"


class Release(_Model):
    """How a range of versions is installed."""

    versions: Specifiers
    python: Specifiers
    extra: list[RequirementText] = []
    """Requirements that the framework's own metadata lacks."""
    install: dict[str, list[InstallOption]] = {}
    """The options for each device, best first."""


class Claim(_Model):
    """Calls that the target promises to take. Whatever is not given is not limited."""

    api: Patterns = ["*"]
    """Names of APIs, or patterns of names."""
    operation: Patterns = ["*"]
    dtypes: list[DtypeName] = []
    """Those that all tensors of a call have."""

    def is_about(self, api: str, operation: str) -> bool:
        named = any(fnmatchcase(api, pattern) for pattern in self.api)
        return named and any(fnmatchcase(operation, pattern) for pattern in self.operation)

    def covers(self, dtypes: Set[str]) -> bool:
        """Whether it is about calls with tensors of these dtypes, if it is about their API."""
        return not self.dtypes or dtypes <= {*self.dtypes}


class TargetToml(_Model):
    """The content of target.toml; the first device and the first mode are the defaults."""

    title: str
    """The framework's own spelling of its name, such as ``PyTorch``."""
    package: RequirementText | None = None
    """The distribution whose version is the framework's; None if it is part of the suite."""
    issues: str | None = None
    """The URL of the issue tracker."""
    tested: VersionText | None = None
    """The version that is used when the target names none."""
    devices: dict[str, Device] = Field(min_length=1)
    modes: dict[str, Mode] = Field(min_length=1)
    variables: dict[Variable, Text] = {}
    """Environment variables set before the framework is imported."""
    extra: list[RequirementText] = []
    """Requirements of all releases."""
    preload: Text | None = None
    """Python code that is run once the adapter has imported the framework, such as ``import mine; mine.enable()``."""
    backend: Text | None = None
    """What compiles, in modes in which a framework lets one choose: the name of a backend of ``torch.compile``."""
    replaces: dict[Module, Module] = {}
    """By the name of a module that the adapter imports, the name of the one that it gets instead."""
    threads: list[Variable] = [*THREADS]
    """Environment variables for the number of threads: 1, except where calls with duplicate indices are repeated.

    If there are none, it always computes with one thread, and no call is repeated.
    """
    one_core: bool = False
    """Whether a worker that computes with one thread is bound to one core, since further threads compute while they wait."""
    claims: list[Claim] = []
    """What is promised: such a call that is not supported fails the run."""
    releases: list[Release] = Field(min_length=1)

    @model_validator(mode="after")
    def _is_consistent(self) -> TargetToml:
        problems = list(_problems(self))
        if problems:
            raise ValueError("; ".join(problems))
        return self


def _problems(content: TargetToml) -> Iterator[str]:
    if (content.package is None) != (content.tested is None):
        yield "package and tested must be given together"
    if content.tested is not None and release_for(content, content.tested) is None:
        yield f"tested version {content.tested} is not covered by any entry of releases"
    for number, release in enumerate(content.releases):
        for device in release.install.keys() - _installed(content):
            yield f"releases[{number}].install.{device} names a device that is not listed under devices"
        if content.package is not None and not any(release.install.values()):
            yield f"releases[{number}].install has no package to install for {content.package}"


def _installed(content: TargetToml) -> set[str]:
    """The devices, and those whose packages they need."""
    return {*content.devices, *(device.install_as for device in content.devices.values() if device.install_as)}


def release_for(content: TargetToml, version: str) -> Release | None:
    """Return the first release that covers this version, or None."""
    return next((release for release in content.releases if release.versions.contains(version, prereleases=True)), None)


def installs(content: TargetToml, versions: SpecifierSet) -> bool:
    """Whether a version in a range can be installed."""
    ranges = [release.versions for release in content.releases]
    bounds = {specifier.version.removesuffix(".*") for each in (versions, *ranges) for specifier in each}
    candidates = ["0", *bounds, *(f"{bound}.0.0.1" for bound in bounds)]
    return any(
        versions.contains(version, prereleases=True) and each.contains(version, prereleases=True)
        for version in candidates
        for each in ranges
    )


class Definition(TargetToml):
    """A target.toml with its name and folder."""

    name: str
    folder: Path

    @property
    def adapter(self) -> Path:
        """Its own, or that of the target that it extends."""
        return base_folder(self.folder / FILE_NAME) / "adapter.py"

    @property
    def default_device(self) -> str:
        return next(iter(self.devices))

    @property
    def default_mode(self) -> str:
        return next(iter(self.modes))

    def variables_in(self, mode: str) -> dict[str, str]:
        """The environment variables for a mode."""
        replaced = " ".join("=".join(pair) for pair in self.replaces.items())
        loading = {PRELOAD: self.preload or "", REPLACES: replaced, BACKEND: self.backend or ""}
        return {
            **self.variables,
            **self.modes[mode].variables,
            **{name: value for name, value in loading.items() if value},
        }


def find_definitions(folder: Path) -> dict[str, Definition]:
    """Load every definition below an adapters folder, by folder name; DefinitionError lists all errors."""
    return _loaded({path.parent.name: path for path in sorted(folder.glob(f"*/{FILE_NAME}"))})


def _loaded(files: Mapping[str, Path]) -> dict[str, Definition]:
    loaded: dict[str, Definition] = {}
    errors: list[str] = []
    for name, path in files.items():
        try:
            loaded[name] = load_definition(path, name)
        except DefinitionError as error:
            errors.append(str(error))
    if errors:
        raise DefinitionError("\n".join(errors))
    return loaded


@cache
def definitions() -> dict[str, Definition]:
    """Load the definition of every target that exists by name; DefinitionError for an invalid file of the suite.

    A PackageWarning reports the invalid file of another package, whose target is left out.
    """
    folders = target_folders().values()
    loaded = _loaded({target.name: target.folder / FILE_NAME for target in folders if target.source == DISTRIBUTION})
    for target in folders:
        if target.source != DISTRIBUTION:
            try:
                loaded[target.name] = load_definition(target.folder / FILE_NAME, target.name)
            except DefinitionError as error:
                warn(f"the target {target.name} of {target.source} cannot be used: {error}")
    return dict(sorted(loaded.items()))


def load_definition(path: Path, name: str | None = None) -> Definition:
    """Load one file; the name defaults to that of its folder. DefinitionError lists all errors."""
    try:
        content = read_target_toml(path)
    except UnicodeDecodeError:
        raise DefinitionError(f"{path}: not UTF-8 text") from None
    except ValueError as error:
        raise DefinitionError(f"{path}: not TOML: {error}") from None
    except OSError as error:
        raise DefinitionError(f"{path}: cannot be read: {error.strerror}") from None
    except ExtendsError as error:
        raise DefinitionError(f"{path}: {error}") from None
    try:
        TargetToml.model_validate(content)
    except ValidationError as error:
        raise DefinitionError("\n".join(_messages(path, error))) from None
    return Definition.model_validate({**content, "name": name or path.parent.name, "folder": path.parent})


def _messages(path: Path, error: ValidationError) -> Iterator[str]:
    for problem in error.errors(include_url=False):
        key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in problem["loc"]).lstrip(".")
        location = f"{path}: {key}" if key else str(path)
        if problem["type"] == "extra_forbidden":
            yield f"{location}: unknown key{nearest(str(problem['loc'][-1]), _keys())}"
        elif problem["type"] == "missing":
            yield f"{location}: missing"
        else:
            message = problem["msg"].removeprefix("Value error, ")
            value = "" if problem["loc"] == () else f"; found {problem['input']!r}"
            yield f"{location}: {message}{value}"


def _keys() -> set[str]:
    models: tuple[type[_Model], ...] = (TargetToml, Release, InstallOption, Device, Mode, Claim)
    return {field.alias or name for model in models for name, field in model.model_fields.items()}
