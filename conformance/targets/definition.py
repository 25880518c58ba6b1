"""What ``target.toml`` beside an adapter says: devices, modes, and how each version range is installed."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
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

from conformance.specification.problems import nearest
from conformance.targets.errors import TargetError

FILE_NAME = "target.toml"


class DefinitionError(TargetError):
    """A target.toml that cannot be used; the message has a line for each of its errors."""


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


Specifiers = Annotated[SpecifierSet, BeforeValidator(_specifiers)]
RequirementText = Annotated[str, AfterValidator(_requirement)]
VersionText = Annotated[str, AfterValidator(_version)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, strict=True)


class Device(_Model):
    """A kind of device; ``cuda`` stands for ``cuda:1`` too."""

    gpu: bool
    """Whether documents' words about GPUs are about it; those about CPUs are about ``cpu`` alone."""
    needs: str | None = None
    """What has to be there that no installation brings, as "the driver of the NPU and torch-npu"."""


class Mode(_Model):
    """An execution mode, and the seconds that it costs: a run makes fewer calls in a expensive one."""

    compiled: bool = False
    """Whether the adapter's ``prepare`` compiles what is called; types of errors are then not judged."""
    first: float = Field(0.0, ge=0)
    """Seconds that a worker takes for its first call, beside those of importing the framework."""
    shape: float = Field(0.0, ge=0)
    """Seconds that a call takes whose shapes or dtypes no call before had."""
    workers: int = Field(1, ge=1, le=16)
    """Among how many processes its calls are divided: more than one where it waits more than it computes."""


class Way(_Model):
    """One way to install a release; the first one that resolves is taken."""

    package: RequirementText
    local: str | None = None
    """Ask for the build with this local version, as ``cpu`` in 2.13.0+cpu."""
    not_local: str | None = Field(None, alias="not-local")
    """Never take the build with this local version, which an index or folder of the user's may hold."""
    torch_backend: str | None = Field(None, alias="torch-backend")
    """uv's option of that name: PyTorch's own index for this kind of build."""
    size: float | None = Field(None, gt=0)
    """Gigabytes that it takes on the disk with all that it depends on."""

    def requirement(self, version: str) -> str | None:
        """Return the requirement for this version; None where the version's own local part rules it out."""
        local = Version(version).local
        if self.local is not None and local not in (None, self.local):
            return None
        if self.not_local is not None and local == self.not_local:
            return None
        wanted = f"+{self.local}" if self.local and not local else ""
        unwanted = f",!={version}+{self.not_local}" if self.not_local and not local else ""
        return f"{self.package}=={version}{wanted}{unwanted}"


class Release(_Model):
    """How a range of versions is installed."""

    versions: Specifiers
    python: Specifiers
    extra: list[RequirementText] = []
    """What the framework needs or breaks with beyond what its own metadata says."""
    install: dict[str, list[Way]] = {}
    """The ways for each device, best first."""


class TargetToml(_Model):
    """The content of the file; the first device and the first mode are the defaults."""

    title: str
    """The framework's own spelling, as ``PyTorch``."""
    package: RequirementText | None = None
    """The distribution whose versions count; None for what is part of the suite."""
    issues: str | None = None
    """The URL of the issue tracker."""
    tested: VersionText | None = None
    """The version that is meant when none is named."""
    devices: dict[str, Device] = Field(min_length=1)
    modes: dict[str, Mode] = Field(min_length=1)
    variables: dict[str, str] = {}
    """Environment variables set before the framework is imported."""
    releases: list[Release] = Field(min_length=1)

    @model_validator(mode="after")
    def _fits_together(self) -> TargetToml:
        problems = list(_problems(self))
        if problems:
            raise ValueError("; ".join(problems))
        return self


def _problems(content: TargetToml) -> Iterator[str]:
    if (content.package is None) != (content.tested is None):
        yield "package and tested belong together: give both or neither"
    if content.tested is not None and release_for(content, content.tested) is None:
        yield f"tested is {content.tested}, which no entry of releases covers"
    for number, release in enumerate(content.releases):
        for device in release.install.keys() - content.devices.keys():
            yield f"releases[{number}].install.{device} is for a device that devices lacks"
        if content.package is not None and not any(release.install.values()):
            yield f"releases[{number}].install has no way to install {content.package}"


def release_for(content: TargetToml, version: str) -> Release | None:
    """Return the first release that covers this version, None where there is none."""
    return next((one for one in content.releases if one.versions.contains(version, prereleases=True)), None)


class Definition(TargetToml):
    """A target.toml with the place where it was found."""

    name: str
    folder: Path

    @property
    def adapter(self) -> Path:
        return self.folder / "adapter.py"

    @property
    def default_device(self) -> str:
        return next(iter(self.devices))

    @property
    def default_mode(self) -> str:
        return next(iter(self.modes))


def find_definitions(folder: Path) -> dict[str, Definition]:
    """Load every definition below an adapters folder, by folder name; DefinitionError lists all errors."""
    found: dict[str, Definition] = {}
    errors: list[str] = []
    for path in sorted(folder.glob(f"*/{FILE_NAME}")):
        try:
            found[path.parent.name] = load_definition(path)
        except DefinitionError as error:
            errors.append(str(error))
    if errors:
        raise DefinitionError("\n".join(errors))
    return found


def load_definition(path: Path, name: str | None = None) -> Definition:
    """Load one file, named after its folder where no name is given; DefinitionError lists all errors."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise DefinitionError(f"{path}: not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise DefinitionError(f"{path}: not TOML: {error}") from None
    except OSError as error:
        raise DefinitionError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        TargetToml.model_validate(content)
    except ValidationError as error:
        raise DefinitionError("\n".join(_lines(path, error))) from None
    return Definition.model_validate({**content, "name": name or path.parent.name, "folder": path.parent})


def _lines(path: Path, error: ValidationError) -> Iterator[str]:
    for one in error.errors(include_url=False):
        key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in one["loc"]).lstrip(".")
        place = f"{path}: {key}" if key else str(path)
        if one["type"] == "extra_forbidden":
            yield f"{place}: unknown key{nearest(str(one['loc'][-1]), _keys())}"
        elif one["type"] == "missing":
            yield f"{place}: missing"
        else:
            message = one["msg"].removeprefix("Value error, ")
            found = "" if one["loc"] == () else f"; found {one['input']!r}"
            yield f"{place}: {message}{found}"


def _keys() -> set[str]:
    models: tuple[type[_Model], ...] = (TargetToml, Release, Way, Device, Mode)
    return {field.alias or name for model in models for name, field in model.model_fields.items()}
