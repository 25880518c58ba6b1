from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.environments.environment import prepare_uv
from conformance.environments.errors import TargetBlocked
from conformance.environments.pip_settings import PipSettings, find_pip, read_pip_settings
from tests.environments.conftest import from_variables, real_pip_config

PIP = find_pip() or ()
pytestmark = pytest.mark.skipif(not PIP, reason="there is no pip to ask")


@dataclass
class User:
    """A home folder with pip's files; PIP_CONFIG_FILE keeps the files of this machine out."""

    home: Path

    def write(self, path: str, text: str) -> Path:
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def environ(self, **variables: str) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": os.environ["PATH"], **variables}

    def read(self, **variables: str) -> PipSettings:
        return read_pip_settings(PIP, self.environ(PIP_CONFIG_FILE=os.devnull, **variables))

    def read_file(self, text: str, **variables: str) -> PipSettings:
        file = self.write("named.conf", text)
        return read_pip_settings(PIP, self.environ(PIP_CONFIG_FILE=str(file), **variables))


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


def test_without_any_settings_there_are_none(user: User) -> None:
    assert user.read() == PipSettings()


def test_all_settings_are_read_from_variables(user: User) -> None:
    assert user.read(
        PIP_INDEX_URL="https://a.example/simple",
        PIP_EXTRA_INDEX_URL="https://b.example/simple\n  https://c.example/simple",
        PIP_FIND_LINKS="/wheels ~/more",
        PIP_NO_INDEX="yes",
        PIP_CERT="/ca.pem",
        PIP_CLIENT_CERT="/me.pem",
        PIP_PROXY="http://proxy.example:3128",
        PIP_TRUSTED_HOST="b.example c.example:8080",
        PIP_DEFAULT_TIMEOUT="7.5",
        PIP_QUIET="3",
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


def test_each_setting_knows_the_variable_or_the_key_that_decides_it(user: User) -> None:
    text = (
        "[global]\nindex-url = https://file.example/\nfind-links = /wheels\n[install]\nproxy = http://proxy.example\n"
    )
    settings = user.read_file(text, PIP_INDEX_URL="https://variable.example/", PIP_CERT="")
    assert settings.index_url == "https://variable.example/"
    assert settings.origins["index-url"] == "PIP_INDEX_URL"
    assert settings.origins["find-links"] == "find-links in pip's configuration"
    assert settings.origins["proxy"] == "proxy in pip's configuration"


def test_what_other_tests_take_for_the_answer_of_pip_is_its_answer(user: User) -> None:
    variables = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/some/wheels /more", "PIP_INDEX_URL": "https://a.example/it's"}
    environ = user.environ(PIP_CONFIG_FILE=os.devnull, **variables)
    assert from_variables(PIP, environ, "list") == real_pip_config(PIP, environ, "list")


def test_a_file_may_hold_several_values_quotes_and_percent_signs(user: User) -> None:
    settings = user.read_file(
        "[global]\nextra-index-url =\n  https://a/\n  https://b/\nINDEX_URL = https://user:p%40's@a/%(x)s\n"
    )
    assert settings.extra_index_urls == ("https://a/", "https://b/")
    assert settings.index_url == "https://user:p%40's@a/%(x)s"


def test_of_two_files_with_the_same_key_the_one_that_pip_prefers_counts(user: User) -> None:
    # pip reads the older place first, although the newer one's name sorts before it.
    user.write(".pip/pip.conf", "[global]\nindex-url = https://old/\nproxy = http://old/\n")
    user.write(
        ".config/pip/pip.conf", "[global]\nindex-url = https://new/\nextra-index-url =\n  https://a/\n  https://b/\n"
    )
    settings = read_pip_settings(PIP, user.environ())
    assert settings.index_url == "https://new/"
    assert settings.proxy == "http://old/"
    assert settings.extra_index_urls == ("https://a/", "https://b/")


def test_an_empty_value_in_a_later_file_removes_an_earlier_one(user: User) -> None:
    user.write(".pip/pip.conf", "[global]\nindex-url = https://a/\n")
    user.write(".config/pip/pip.conf", "[global]\nindex-url =\n")
    assert read_pip_settings(PIP, user.environ()).index_url is None


def test_the_install_section_overrides_the_global_one_and_others_do_not_count(user: User) -> None:
    settings = user.read_file(
        "[install]\nindex-url = https://install/\n[global]\nindex-url = https://global/\n[download]\nno-index = yes\n"
    )
    assert settings.index_url == "https://install/"
    assert not settings.no_index


def test_a_variable_overrides_the_files_as_a_whole_and_an_empty_one_counts_as_unset(user: User) -> None:
    text = "[install]\nextra-index-url = https://a/ https://b/\nfind-links = /w\n"
    settings = user.read_file(text, PIP_EXTRA_INDEX_URL="https://c/", PIP_FIND_LINKS="")
    assert settings.extra_index_urls == ("https://c/",)
    assert settings.find_links == ("/w",)


def test_a_file_that_pip_cannot_read_is_named(user: User) -> None:
    with pytest.raises(TargetBlocked, match="pip cannot read its own settings") as caught:
        user.read_file("index-url = https://a/\n")
    assert str(user.home / "named.conf") in str(caught.value)
    assert "PIP_CONFIG_FILE=/dev/null" in str(caught.value)


def test_a_switch_that_is_neither_on_nor_off_is_refused(user: User) -> None:
    with pytest.raises(TargetBlocked, match="'perhaps'; expected yes or no"):
        user.read(PIP_NO_INDEX="perhaps")
    assert not user.read(PIP_NO_INDEX="off").no_index


@pytest.mark.parametrize(
    ("value", "message"),
    [("soon", "pip cannot read its own settings: .*'soon'"), ("inf", "'inf'; expected a number of seconds")],
)
def test_a_timeout_that_is_no_number_of_seconds_is_refused(user: User, value: str, message: str) -> None:
    with pytest.raises(TargetBlocked, match=message):
        user.read(PIP_TIMEOUT=value)


def test_pip_install_uses_the_same_values(user: User) -> None:
    if "-m" not in PIP:
        pytest.skip("this interpreter has no pip")
    user.write(".pip/pip.conf", "[global]\nindex-url = https://old/\nextra-index-url = https://a/ https://b/\n")
    user.write(".config/pip/pip.conf", "[install]\nindex-url = https://new/\n[global]\nproxy = http://p/\n")
    question = (
        "from pip._internal.commands.install import InstallCommand as C\n"
        "o = C('install', '').parse_args([])[0]\n"
        "print([o.index_url, o.extra_index_urls, o.find_links, o.no_index, o.proxy])"
    )
    environ = user.environ(PIP_FIND_LINKS="/w /x", PIP_CONFIG_FILE="/does/not/exist")
    options = subprocess.run([sys.executable, "-c", question], env=environ, capture_output=True, text=True, check=True)
    ours = read_pip_settings(PIP, environ)
    expected = [ours.index_url, list(ours.extra_index_urls), list(ours.find_links), ours.no_index, ours.proxy]
    assert options.stdout.strip() == str(expected)
    assert ours.index_url == "https://new/"


def test_an_interpreter_without_pip_asks_the_one_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_pip() is None
    program = tmp_path / "pip"
    program.write_text("#!/bin/sh\necho \"global.index-url='https://path/'\"\n", encoding="utf-8")
    program.chmod(0o755)
    pip: Sequence[str] = find_pip() or ()
    assert read_pip_settings(pip, {}).index_url == "https://path/"


def test_without_any_pip_uv_uses_its_own_settings_and_a_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.environments.environment.find_pip", lambda: None)
    monkeypatch.setenv("PIP_INDEX_URL", "https://pip.invalid/simple")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://own.invalid/simple")
    lines: list[str] = []
    uv = prepare_uv(tmp_path, lines.append, offline=True)
    assert uv.environment["UV_DEFAULT_INDEX"] == "https://own.invalid/simple"
    assert lines == ["pip not found: uv uses its own index settings (UV_DEFAULT_INDEX, UV_INDEX, uv.toml)"]
