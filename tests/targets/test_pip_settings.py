from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from conformance.targets.errors import TargetBlocked
from conformance.targets.pip_settings import PipSettings, read_pip_settings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pip's files lie elsewhere on other systems")


@dataclass
class Machine:
    """A home, a virtual environment and the system's folders, all below one folder."""

    root: Path

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def read(self, **variables: str) -> PipSettings:
        environ = {"HOME": str(self.root / "home"), **variables}
        return read_pip_settings(environ, prefix=self.root / "venv", system=self.root)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_without_any_settings_there_are_none(machine: Machine) -> None:
    assert machine.read() == PipSettings()


def test_all_settings_are_read_from_variables(machine: Machine) -> None:
    assert machine.read(
        PIP_INDEX_URL="https://a.example/simple",
        PIP_EXTRA_INDEX_URL="https://b.example/simple\n  https://c.example/simple",
        PIP_FIND_LINKS="/wheels ~/more",
        PIP_NO_INDEX="yes",
        PIP_CERT="/ca.pem",
        PIP_CLIENT_CERT="/me.pem",
        PIP_PROXY="http://proxy.example:3128",
        PIP_TRUSTED_HOST="b.example c.example:8080",
        PIP_DEFAULT_TIMEOUT="7.5",
    ) == PipSettings(
        index_url="https://a.example/simple",
        extra_index_urls=("https://b.example/simple", "https://c.example/simple"),
        find_links=("/wheels", "~/more"),
        no_index=True,
        cert="/ca.pem",
        client_cert="/me.pem",
        proxy="http://proxy.example:3128",
        trusted_hosts=("b.example", "c.example:8080"),
        timeout=8,
    )


def test_a_file_holds_several_values_on_lines_of_their_own(machine: Machine) -> None:
    machine.write("home/.config/pip/pip.conf", "[global]\nextra-index-url =\n  https://a/\n  https://b/\n")
    assert machine.read().extra_index_urls == ("https://a/", "https://b/")


def test_a_key_of_a_file_may_be_written_with_underscores_capitals_and_dashes_before(machine: Machine) -> None:
    machine.write("home/.config/pip/pip.conf", "[global]\nINDEX_URL = https://a/\n--no-index = true\n")
    assert machine.read() == PipSettings(index_url="https://a/", no_index=True)


LATER = ["etc/xdg/pip/pip.conf", "etc/pip.conf", "home/.pip/pip.conf", "home/.config/pip/pip.conf", "venv/pip.conf"]


@pytest.mark.parametrize(("earlier", "later"), list(pairwise(LATER)))
def test_each_file_overrides_the_one_before_it(machine: Machine, earlier: str, later: str) -> None:
    machine.write(earlier, "[global]\nindex-url = https://earlier/\ncert = /kept.pem\n")
    machine.write(later, "[global]\nindex-url = https://later/\n")
    assert machine.read() == PipSettings(index_url="https://later/", cert="/kept.pem")


def test_the_named_file_overrides_the_others_and_stands_for_the_users(machine: Machine) -> None:
    machine.write("home/.config/pip/pip.conf", "[global]\nproxy = http://user/\n")
    machine.write("venv/pip.conf", "[global]\nindex-url = https://site/\ncert = /site.pem\n")
    named = machine.write("named.conf", "[global]\nindex-url = https://named/\n")
    assert machine.read(PIP_CONFIG_FILE=str(named)) == PipSettings(index_url="https://named/", cert="/site.pem")


def test_a_named_file_that_is_missing_leaves_the_users_in_force(machine: Machine) -> None:
    machine.write("home/.config/pip/pip.conf", "[global]\nindex-url = https://user/\n")
    assert machine.read(PIP_CONFIG_FILE=str(machine.root / "none.conf")).index_url == "https://user/"


def test_the_null_device_as_named_file_switches_all_files_off(machine: Machine) -> None:
    machine.write("etc/pip.conf", "[global]\nindex-url = https://global/\n")
    assert machine.read(PIP_CONFIG_FILE=os.devnull, PIP_CERT="/ca.pem") == PipSettings(cert="/ca.pem")


def test_the_install_section_overrides_the_global_one_whatever_the_file(machine: Machine) -> None:
    machine.write("etc/pip.conf", "[install]\nindex-url = https://install/\n")
    machine.write("venv/pip.conf", "[global]\nindex-url = https://global/\n")
    assert machine.read().index_url == "https://install/"


def test_other_sections_do_not_count(machine: Machine) -> None:
    machine.write("etc/pip.conf", "[download]\nindex-url = https://download/\n[list]\nno-index = yes\n")
    assert machine.read() == PipSettings()


def test_a_variable_overrides_the_files_as_a_whole(machine: Machine) -> None:
    machine.write("etc/pip.conf", "[install]\nextra-index-url = https://a/ https://b/\nfind-links = /w\n")
    assert machine.read(PIP_EXTRA_INDEX_URL="https://c/") == PipSettings(
        extra_index_urls=("https://c/",), find_links=("/w",)
    )


def test_an_empty_variable_counts_as_unset(machine: Machine) -> None:
    machine.write("etc/pip.conf", "[global]\nindex-url = https://a/\n")
    assert machine.read(PIP_INDEX_URL="").index_url == "https://a/"


def test_an_empty_value_in_a_later_file_takes_an_earlier_one_away(machine: Machine) -> None:
    machine.write("etc/pip.conf", "[global]\nextra-index-url = https://a/\n")
    machine.write("venv/pip.conf", "[global]\nextra-index-url =\n")
    assert machine.read().extra_index_urls == ()


def test_the_users_folder_follows_xdg(machine: Machine) -> None:
    machine.write("elsewhere/pip/pip.conf", "[global]\nindex-url = https://a/\n")
    machine.write("global/pip/pip.conf", "[global]\ncert = /ca.pem\n")
    assert machine.read(
        XDG_CONFIG_HOME=str(machine.root / "elsewhere"), XDG_CONFIG_DIRS=str(machine.root / "global")
    ) == PipSettings(index_url="https://a/", cert="/ca.pem")


def test_percent_signs_are_taken_as_they_are(machine: Machine) -> None:
    machine.write("etc/pip.conf", "[global]\nindex-url = https://user:p%40ss@a/%(x)s\n")
    assert machine.read().index_url == "https://user:p%40ss@a/%(x)s"


@pytest.mark.parametrize("text", ["index-url = https://a/\n", "[global\n", "[global]\n[global]\n", "[global]\nword\n"])
def test_a_file_that_pip_cannot_read_is_named(machine: Machine, text: str) -> None:
    path = machine.write("etc/pip.conf", text)
    with pytest.raises(TargetBlocked, match="pip's settings cannot be read") as caught:
        machine.read()
    assert str(path) in str(caught.value)


def test_a_switch_that_is_neither_on_nor_off_is_refused(machine: Machine) -> None:
    with pytest.raises(TargetBlocked, match="'perhaps', where yes or no belongs"):
        machine.read(PIP_NO_INDEX="perhaps")
    assert not machine.read(PIP_NO_INDEX="off").no_index


@pytest.mark.parametrize("value", ["soon", "inf", "nan"])
def test_a_timeout_that_is_no_number_of_seconds_is_refused(machine: Machine, value: str) -> None:
    with pytest.raises(TargetBlocked, match=f"{value!r}, where a number of seconds belongs"):
        machine.read(PIP_TIMEOUT=value)


def test_pip_itself_takes_the_same_values(machine: Machine) -> None:
    pytest.importorskip("pip")
    machine.write("home/.pip/pip.conf", "[global]\nindex-url = https://old/\nextra-index-url = https://a/ https://b/\n")
    machine.write("home/.config/pip/pip.conf", "[install]\nindex-url = https://new/\n[global]\nproxy = http://p/\n")
    question = (
        "from pip._internal.commands.install import InstallCommand as C\n"
        "o = C('install', '').parse_args([])[0]\n"
        "print([o.index_url, o.extra_index_urls, o.find_links, o.no_index, o.proxy])"
    )
    environ = {"HOME": str(machine.root / "home"), "PIP_FIND_LINKS": "/w /x", "PIP_CONFIG_FILE": "/does/not/exist"}
    said = subprocess.run([sys.executable, "-c", question], env=environ, capture_output=True, text=True, check=True)
    ours = machine.read(**environ)
    expected = [ours.index_url, list(ours.extra_index_urls), list(ours.find_links), ours.no_index, ours.proxy]
    assert said.stdout.strip() == str(expected)
    assert ours.index_url == "https://new/"
