from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from conformance.environments.errors import TargetBlocked
from conformance.environments.indexes import configure
from conformance.environments.pip_settings import PipSettings
from conformance.environments.unreachable import without_user
from conformance.environments.uv import Uv, find_uv
from tests.environments.toys import Toys, write_index


class _Recording(SimpleHTTPRequestHandler):
    def __init__(self, *arguments: Any, requested: list[str], **options: Any) -> None:
        self.requested = requested
        super().__init__(*arguments, **options)

    def log_message(self, *_: object) -> None:
        self.requested.append(self.path)


@contextmanager
def served(folder: Path, requested: list[str] | None = None) -> Iterator[str]:
    """Serve a folder, adding what is requested for to the list."""
    requested = [] if requested is None else requested
    handler = partial(_Recording, directory=str(folder), requested=requested)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def uv(toys: Toys) -> Uv:
    toys.home.mkdir()
    toys.environment.setenv("NO_PROXY", "127.0.0.1")
    return find_uv(os.environ, toys.home)


def configured(uv: Uv, settings: PipSettings) -> tuple[Uv, list[str]]:
    messages: list[str] = []
    return configure(uv, settings, messages.append), messages


def test_indexes_and_links_are_handed_on_and_the_best_version_of_all_is_taken(uv: Uv, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    settings = PipSettings(
        index_url=(tmp_path / "a").as_uri(),
        extra_index_urls=(str(tmp_path / "b"),),
        find_links=(str(tmp_path / "a"), (tmp_path / "b").as_uri()),
    )
    result, messages = configured(uv, settings)
    assert result.environment["UV_DEFAULT_INDEX"] == (tmp_path / "a").as_uri()
    assert result.environment["UV_INDEX"] == (tmp_path / "b").as_uri()
    assert result.environment["UV_INDEX_STRATEGY"] == "unsafe-best-match"
    assert result.index_options == ("--find-links", str(tmp_path / "a"), "--find-links", str(tmp_path / "b"))
    assert messages == []


def test_a_folder_that_is_missing_is_left_out_with_a_line(uv: Uv, tmp_path: Path) -> None:
    missing = (tmp_path / "missing").as_uri()
    settings = PipSettings(index_url=tmp_path.as_uri(), extra_index_urls=(missing,), find_links=("/no/wheels",))
    result, messages = configured(uv, settings)
    assert "UV_INDEX" not in result.environment
    assert result.index_options == ()
    assert sorted(messages) == sorted(
        [f"ignoring index {missing}: folder not found", "ignoring index /no/wheels: folder not found"]
    )


def test_an_index_where_nothing_listens_is_left_out_and_its_password_is_not_told(
    uv: Uv, tmp_path: Path, closed_port: int
) -> None:
    url = f"http://me:secret@127.0.0.1:{closed_port}/simple"
    result, messages = configured(uv, PipSettings(index_url=url, extra_index_urls=(tmp_path.as_uri(),)))
    assert result.environment["UV_DEFAULT_INDEX"] == tmp_path.as_uri()
    (line,) = messages
    assert line.startswith(f"ignoring index http://***@127.0.0.1:{closed_port}/simple: ")
    assert "refused" in line


def test_without_any_index_that_answers_the_links_alone_are_searched(uv: Uv, tmp_path: Path, closed_port: int) -> None:
    settings = PipSettings(index_url=f"http://127.0.0.1:{closed_port}/", find_links=(str(tmp_path),))
    result, _ = configured(uv, settings)
    assert result.index_options == ("--no-index", "--find-links", str(tmp_path))


def test_when_no_place_is_left_the_reasons_are_given(uv: Uv, closed_port: int) -> None:
    settings = PipSettings(index_url=f"http://127.0.0.1:{closed_port}/", find_links=("/no/wheels",))
    with pytest.raises(TargetBlocked, match="a package index does not answer") as caught:
        configured(uv, settings)
    assert str(closed_port) in str(caught.value)
    assert "/no/wheels: folder not found" in str(caught.value)


def test_any_answer_means_that_an_index_is_there(uv: Uv, tmp_path: Path) -> None:
    with served(tmp_path) as url:
        result, messages = configured(uv, PipSettings(index_url=url))
    assert result.environment["UV_DEFAULT_INDEX"] == url
    assert messages == []


def test_a_proxy_that_is_not_there_makes_an_index_unreachable(uv: Uv, tmp_path: Path, closed_port: int) -> None:
    with served(tmp_path) as url:
        proxy = f"http://127.0.0.1:{closed_port}"
        elsewhere = "http://index.invalid/simple"
        settings = PipSettings(index_url=elsewhere, extra_index_urls=(url,), proxy=proxy)
        result, messages = configured(uv, settings)
    assert any(line.startswith(f"ignoring index {elsewhere}: ") and "refused" in line for line in messages)
    assert result.environment["HTTPS_PROXY"] == proxy


def test_uvs_own_default_index_is_left_out_when_it_cannot_be_reached_and_others_can(
    uv: Uv, tmp_path: Path, closed_port: int
) -> None:
    unreachable = uv.with_variables(HTTPS_PROXY=f"http://127.0.0.1:{closed_port}", UV_NO_CACHE="1")
    result, messages = configured(unreachable, PipSettings(extra_index_urls=(tmp_path.as_uri(),)))
    [message] = messages
    assert message.startswith("ignoring index https://pypi.org/simple/packaging/: ")
    assert result.environment["UV_DEFAULT_INDEX"] == tmp_path.as_uri()


def test_offline_no_index_is_asked(uv: Uv, tmp_path: Path, closed_port: int) -> None:
    toy = find_uv(os.environ, uv.folder, offline=True)
    url = f"http://127.0.0.1:{closed_port}/simple"
    result, messages = configured(toy, PipSettings(index_url=url, extra_index_urls=(tmp_path.as_uri(),)))
    assert result.environment["UV_DEFAULT_INDEX"] == url
    assert messages == []


def test_offline_nothing_is_fetched(toys: Toys, tmp_path: Path) -> None:
    toys.define()
    write_index(tmp_path / "index", [toys.wheel("1.0.0")])
    requested: list[str] = []
    with served(tmp_path / "index", requested) as url:
        toys.pip(no_index="", find_links="", index_url=f"{url}/simple")
        with pytest.raises(TargetBlocked):
            toys.ensure("toy", offline=True)
        assert requested == []
        toys.ensure("toy")
        assert "/simple/toy/" in requested


def test_no_index_leaves_the_links(uv: Uv, tmp_path: Path) -> None:
    settings = PipSettings(index_url="https://index.invalid/", no_index=True, find_links=(str(tmp_path),))
    result, messages = configured(uv, settings)
    assert result.index_options == ("--no-index", "--find-links", str(tmp_path))
    assert "UV_DEFAULT_INDEX" not in result.environment
    assert messages == []


def test_what_the_user_has_set_for_uv_itself_wins(toys: Toys, tmp_path: Path) -> None:
    own = {
        "UV_DEFAULT_INDEX": "https://own.invalid/simple",
        "UV_INDEX": "https://more.invalid/simple",
        "UV_INDEX_STRATEGY": "first-index",
        "UV_FIND_LINKS": "/own/wheels",
        "SSL_CERT_FILE": "/own.pem",
        "UV_OFFLINE": "1",
    }
    uv = find_uv({**os.environ, **own}, tmp_path, offline=True)
    settings = PipSettings(
        index_url="https://pip.invalid/", extra_index_urls=(tmp_path.as_uri(),), cert="/pip.pem", find_links=("~",)
    )
    result, _ = configured(uv, settings)
    kept = {name: result.environment[name] for name in ("UV_DEFAULT_INDEX", "UV_INDEX_STRATEGY", "SSL_CERT_FILE")}
    assert kept == {name: own[name] for name in kept}
    assert result.environment["UV_INDEX"] == f"https://more.invalid/simple {tmp_path.as_uri()}"
    assert result.index_options == ("--find-links", "/own/wheels", "--find-links", str(Path.home()))


def test_how_pip_connects_is_handed_on(uv: Uv, tmp_path: Path) -> None:
    uv = Uv(uv.program, {**uv.environment, "UV_INSECURE_HOST": "a"}, uv.folder)
    environment = dict(uv.environment)
    environment.pop("SSL_CERT_FILE", None)
    settings = PipSettings(
        index_url=tmp_path.as_uri(), cert="ca.pem", client_cert="/me.pem", trusted_hosts=("b", "c:8080"), timeout=90
    )
    result, _ = configured(Uv(uv.program, environment, uv.folder), settings)
    assert result.environment["SSL_CERT_FILE"] == str(Path.cwd() / "ca.pem")
    assert result.environment["UV_HTTP_TIMEOUT"] == "90"
    assert result.environment["SSL_CLIENT_CERT"] == "/me.pem"
    assert result.environment["UV_INSECURE_HOST"] == "a b c:8080"


def test_settings_that_would_lead_uv_elsewhere_are_dropped(tmp_path: Path) -> None:
    uv = find_uv({"UV_PYTHON": "3.8", "VIRTUAL_ENV": "/venv", "UV_TORCH_BACKEND": "auto", "HOME": "/h"}, tmp_path)
    assert uv.environment["HOME"] == "/h"
    assert uv.environment["UV_PYTHON_DOWNLOADS"] == "never"
    assert not {"UV_PYTHON", "VIRTUAL_ENV", "UV_TORCH_BACKEND"} & uv.environment.keys()


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://me:secret@host.example:8080/simple?x=1", "https://***@host.example:8080/simple?x=1"),
        ("https://token@host.example/simple", "https://***@host.example/simple"),
        ("https://host.example/simple/a@b", "https://host.example/simple/a@b"),
        ("/wheels", "/wheels"),
    ],
)
def test_a_url_is_shown_without_its_user(url: str, shown: str) -> None:
    assert without_user(url, "***@") == shown


def test_the_newest_version_of_all_indexes_is_installed(toys: Toys, tmp_path: Path) -> None:
    toys.define(tested="1.0.0")
    one = write_index(tmp_path / "one", [toys.wheel("1.0.0"), toys.wheel("1.1.0")])
    two = write_index(tmp_path / "two", [toys.wheel("1.2.0")])
    toys.environment.setenv("NO_PROXY", "127.0.0.1")
    with served(two.parent) as url:
        toys.pip(no_index="", find_links="", index_url=one.as_uri(), extra_index_url=f"{url}/simple")
        assert toys.ensure("toy>=1").version == "1.2.0"
        assert toys.ensure("toy<1.2").version == "1.1.0"
