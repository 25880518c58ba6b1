"""What docs/targets.md says of the targets is what target.toml says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from packaging.version import Version

from conformance.data_folders import adapters_folder
from conformance.environments.definition import Definition, find_definitions, load_definition

PAGE = Path(__file__).parents[2] / "docs" / "targets.md"
TEXT = PAGE.read_text(encoding="utf-8")
DEFINITIONS = find_definitions(adapters_folder())
ROWS = {row[0]: row[1:] for row in re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \| (.+) \|$", TEXT, re.MULTILINE)}


def oldest(definition: Definition) -> str:
    bounds = [
        Version(one.version) for release in definition.releases for one in release.versions if one.operator == ">="
    ]
    return str(min(bounds)) if bounds else "the suite's"


def test_every_target_of_the_suite_has_its_row() -> None:
    assert ROWS.keys() == DEFINITIONS.keys()


@pytest.mark.parametrize("name", DEFINITIONS)
def test_a_row_has_the_oldest_version_the_modes_and_the_devices(name: str) -> None:
    versions, modes, devices = ROWS[name]
    definition = DEFINITIONS[name]
    assert versions.removesuffix(" and later") == oldest(definition)
    assert modes == ", ".join(f"`{mode}`" for mode in definition.modes)
    assert sorted(re.findall(r"`(\w+)`", devices)) == sorted(definition.devices)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_the_devices_that_need_your_own_build_are_those_that_nothing_installs(name: str) -> None:
    definition = DEFINITIONS[name]
    installed = {device for release in definition.releases for device in release.install}
    yours = re.findall(r"`(\w+)`", ROWS[name][2].partition("your own build")[2])
    assert set(yours) == definition.devices.keys() - (installed or definition.devices.keys())


def test_the_target_toml_that_it_shows_can_be_loaded(tmp_path: Path) -> None:
    [shown] = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    (tmp_path / "target.toml").write_text(shown, encoding="utf-8")
    definition = load_definition(tmp_path / "target.toml")
    assert (definition.default_device, definition.default_mode) == ("cpu", "eager")
    assert [way.size for way in definition.releases[0].install["cpu"]] == [0.9, 5]
