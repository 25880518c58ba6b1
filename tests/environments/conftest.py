from __future__ import annotations

import os
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from conformance.environments import pip_settings
from tests.environments.toys import Toys

real_pip_config = pip_settings._pip_config


@pytest.fixture(scope="session")
def uv_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("uv-cache")


@pytest.fixture
def toys(tmp_path: Path, uv_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Toys:
    for variable in list(os.environ):
        if variable.startswith(("PIP_", "UV_")):
            monkeypatch.delenv(variable)
    # uv starts each shim of pyenv, a slow script; the Pythons behind them are found without.
    folders = [folder for folder in os.environ["PATH"].split(os.pathsep) if Path(folder).name != "shims"]
    monkeypatch.setenv("PATH", os.pathsep.join(folders))
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    monkeypatch.setenv("UV_CACHE_DIR", str(uv_cache))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(pip_settings, "_pip_config", from_variables)
    return Toys(tmp_path / "home", wheels, tmp_path / "adapters", monkeypatch)


def from_variables(pip: Sequence[str], environ: Mapping[str, str], *arguments: str) -> str:
    """What pip says if only variables have settings, without the third of a second that pip takes; any file is read by pip itself."""
    if arguments != ("list",) or environ.get("PIP_CONFIG_FILE") != os.devnull:
        return real_pip_config(pip, environ, *arguments)
    settings = {name.removeprefix("PIP_"): value for name, value in environ.items() if name.startswith("PIP_")}
    return "".join(f":env:.{name.lower().replace('_', '-')}={value!r}\n" for name, value in sorted(settings.items()))


@pytest.fixture
def closed_port() -> int:
    """A port of this machine at which nothing listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port
