from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from conformance.environments.environment import check_installable, ensure
from conformance.environments.errors import TargetBlocked
from conformance.environments.stored import Environment, home_folder, locked, read_environment
from conformance.files import try_lock
from tests.environments.toys import PLAIN, Toys, write_index

LINE = f"{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.fixture(autouse=True)
def _toy(toys: Toys) -> None:
    toys.define()


def blocked(toys: Toys, name: str, *, offline: bool = False) -> str:
    with pytest.raises(TargetBlocked) as caught:
        toys.ensure(name, offline=offline)
    assert toys.folders() == []
    return str(caught.value)


def imported_version(environment: Environment, module: str = "toy") -> str:
    question = [str(environment.python), "-c", f"import {module}; print({module}.__version__)"]
    return subprocess.run(question, capture_output=True, text=True, check=True).stdout.strip()


def test_a_missing_environment_is_made_and_says_what_is_in_it(toys: Toys) -> None:
    toys.wheel("1.0.0", requires=["helper"])
    toys.wheel("3.1", "helper")
    made = toys.ensure("toy")
    assert imported_version(made) == "1.0.0"
    assert made.folder == toys.home / "environments" / "toy-1.0.0-cpu"
    assert (made.version, made.requirement) == ("1.0.0", "toy==1.0.0")
    assert made.packages == {"toy": "1.0.0", "helper": "3.1"}
    assert made.python_version.startswith(LINE)
    assert toys.messages[0] == "resolving Toy 1.0.0"
    assert "installing 2 packages for toy==1.0.0" in toys.messages


def test_what_can_be_installed_is_known_without_installing_it(toys: Toys) -> None:
    toys.wheel("1.0.0")
    check_installable(toys.target("toy==1.0.0"), home=toys.home)
    with pytest.raises(TargetBlocked, match=r"toy==99 cannot be installed. Closest versions for this Python: 1\.0\.0"):
        check_installable(toys.target("toy==99"), home=toys.home)
    assert toys.folders() == []


def test_a_second_run_asks_nobody(toys: Toys) -> None:
    toys.wheel("1.0.0")
    first = toys.ensure("toy")
    broken = toys.home / "pip.conf"
    broken.write_text("[", encoding="utf-8")
    toys.environment.setenv("PIP_CONFIG_FILE", str(broken))  # whoever reads pip's settings is blocked
    toys.environment.setitem(sys.modules, "uv", None)  # whoever asks for uv fails to import it
    assert toys.ensure("toy") == first
    assert toys.messages == []


def test_the_parent_s_packages_do_not_come_along(toys: Toys) -> None:
    toys.wheel("1.0.0")
    made = toys.ensure("toy")
    found = subprocess.run([str(made.python), "-c", "import pytest"], capture_output=True, check=False)
    assert found.returncode == 1


def test_a_build_with_the_local_version_is_taken_where_there_is_one(toys: Toys) -> None:
    toys.wheel("1.0.0")
    toys.wheel("1.0.0+cpu")
    made = toys.ensure("toy")
    assert (made.requirement, made.version) == ("toy==1.0.0+cpu", "1.0.0+cpu")
    assert imported_version(made) == "1.0.0+cpu"


def test_a_way_that_does_not_resolve_costs_a_line_and_the_next_one_is_taken(toys: Toys) -> None:
    toys.wheel("1.0.0")
    made = toys.ensure("toy")
    assert made.requirement == "toy==1.0.0"
    (line,) = [line for line in toys.messages if line.startswith("no toy==1.0.0+cpu (")]
    assert "there is no version of toy==1.0.0+cpu" in line


def test_an_index_of_pytorchs_that_cannot_be_reached_costs_a_line(toys: Toys, tmp_path: Path, closed_port: int) -> None:
    ways = '[{package = "torch", torch-backend = "cpu"}, {package = "torch"}]'
    toys.define(f'[[releases]]\nversions = ">=1"\npython = ">=3.9"\ninstall.cpu = {ways}\n', name="torch")
    index = write_index(tmp_path / "index", [toys.wheel("1.0.0", "torch")])
    toys.environment.setenv("HTTPS_PROXY", f"http://127.0.0.1:{closed_port}")
    toys.environment.setenv("UV_NO_CACHE", "1")
    toys.pip(no_index="", find_links="", index_url=index.as_uri())
    assert toys.ensure("torch").requirement == "torch==1.0.0"
    assert any(line.startswith("no torch==1.0.0 (--torch-backend cpu) (") for line in toys.messages)


def test_what_else_a_release_needs_is_installed_too(toys: Toys) -> None:
    toys.define(PLAIN + 'extra = ["numpy<2"]\n')
    toys.wheel("1.0.0", requires=["numpy"])
    toys.wheel("1.26", "numpy")
    toys.wheel("2.4", "numpy")
    assert toys.ensure("toy").packages == {"toy": "1.0.0", "numpy": "1.26"}


def test_a_definition_that_now_says_otherwise_makes_the_environment_again(toys: Toys) -> None:
    toys.wheel("1.0.0")
    toys.wheel("3.1", "helper")
    toys.ensure("toy")
    toys.define(PLAIN + 'extra = ["helper"]\n')
    assert "helper" in toys.ensure("toy").packages
    assert toys.folders() == ["toy-1.0.0-cpu"]


def test_a_range_is_the_newest_version_of_today_in_an_environment_named_by_it(toys: Toys) -> None:
    toys.wheel("1.0.0")
    toys.wheel("1.4.0")
    assert toys.ensure("toy<2").version == "1.4.0"
    toys.wheel("1.5.0")
    toys.wheel("2.0.0")
    toys.wheel("1.6.0rc1")
    assert toys.ensure("toy<2").version == "1.5.0"
    assert toys.folders() == ["toy-1.4.0-cpu", "toy-1.5.0-cpu"]
    assert "toy<2 resolved to 1.5.0" in toys.messages


def test_the_versions_in_a_range_are_the_newest_of_each_minor_release(toys: Toys) -> None:
    for version in ("0.9.0", "1.0.0", "1.0.2", "1.9.1", "1.10.0", "1.10.3", "1.11.0rc1", "2.0.0"):
        toys.wheel(version)
    found = toys.versions(">=1,<2")
    assert found == ["1.0.2", "1.9.1", "1.10.3"]
    with pytest.raises(TargetBlocked, match=r"toy>=7 not found in any package index .*; the newest version is 2\.0\.0"):
        toys.versions(">=7")


def test_a_range_takes_the_newest_release_that_has_a_python_here(toys: Toys) -> None:
    toys.define(PLAIN.replace(">=1", ">=2").replace(">=3.9", ">=9") + PLAIN)
    toys.wheel("1.4.0")
    toys.wheel("2.0.0")
    toys.define(PLAIN.replace(">=1", ">=2").replace(">=3.9", ">=9") + PLAIN.replace(">=1", ">=1,<2"))
    assert toys.ensure("toy>=1").version == "1.4.0"


def test_a_range_that_cannot_be_looked_up_is_the_newest_that_is_there(toys: Toys) -> None:
    for version in ("1.0.0", "1.9.0", "1.10.0", "2.0.0"):
        toys.wheel(version)
        toys.ensure(f"toy=={version}")
    toys.pip(find_links="/no/wheels")
    assert toys.ensure("toy<2").version == "1.10.0"
    assert any(line.startswith("using 1.10.0, the newest installed version") for line in toys.messages)


def test_a_version_that_no_index_has_is_refused_with_its_neighbours(toys: Toys) -> None:
    for version in ("1.1.0", "1.2.0", "1.4.0", "1.5.0"):
        toys.wheel(version)
    message = blocked(toys, "toy==1.3.0")
    assert "toy==1.3.0 cannot be installed. Closest versions for this Python: 1.2.0 and 1.4.0." in message
    assert "uv" not in message


def test_a_version_without_a_wheel_for_this_python_says_which_pythons_have_one(toys: Toys) -> None:
    for python in ("cp39", "cp310"):
        toys.wheel("1.0.0", python=python)
    message = blocked(toys, "toy==1.0.0")
    assert "toy==1.0.0 cannot be installed. It is available for Python 3.9, 3.10, but " in message
    assert "use --python with an interpreter that has it" in message


def test_a_build_that_is_not_for_the_device_is_left_where_it_is(toys: Toys) -> None:
    toys.define(PLAIN + 'install.cuda = [{package = "toy", not-local = "cpu"}]\n')
    toys.wheel("1.0.0+cpu")
    assert "toy==1.0.0,!=1.0.0+cpu cannot be installed" in blocked(toys, "toy@cuda")
    toys.wheel("1.0.0")
    assert toys.ensure("toy@cuda").version == "1.0.0"


def test_a_range_that_holds_no_version_is_refused_with_the_newest(toys: Toys) -> None:
    toys.wheel("1.1.0")
    assert "toy>=7 not found in any package index for this machine; the newest version is 1.1.0" in blocked(
        toys, "toy>=7"
    )


def test_a_package_that_no_index_has_is_refused(toys: Toys) -> None:
    for name in ("toy>=1", "toy"):
        message = blocked(toys, name)
        assert "no package index has toy. Check the indexes that pip is configured to use" in message
        assert "uv" not in message


@pytest.mark.parametrize("name", ["toy>=1", "toy==1.0.0"])
def test_an_index_that_does_not_answer_is_the_reason_if_the_others_lack_the_package(
    toys: Toys, closed_port: int, name: str
) -> None:
    url = f"http://127.0.0.1:{closed_port}/simple"
    toys.pip(no_index="", index_url=url)
    message = blocked(toys, name)
    assert f"toy was not found, and a package index does not answer: {url} (set by PIP_INDEX_URL): " in message
    assert "refused. Try again later, or correct or unset PIP_INDEX_URL; --offline takes" in message


@pytest.mark.parametrize("variable", ["PIP_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX"])
@pytest.mark.parametrize("name", ["toy>=1", "toy==1.0.0"])
def test_an_index_that_does_not_answer_is_named_with_the_variable_that_sets_it(
    toys: Toys, monkeypatch: pytest.MonkeyPatch, closed_port: int, variable: str, name: str
) -> None:
    url = f"http://127.0.0.1:{closed_port}/simple"
    toys.pip(no_index="", find_links="")
    monkeypatch.setenv(variable, url)
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    message = blocked(toys, name)
    assert f"a package index does not answer: {url} (set by {variable}): " in message
    assert message.endswith(f"or correct or unset {variable}; --offline takes packages from uv's cache")


@pytest.mark.parametrize("variable", ["PIP_INDEX_URL", "UV_INDEX_URL", "UV_INDEX"])
def test_an_address_whose_host_nobody_knows_is_told_from_an_index_that_does_not_answer(
    toys: Toys, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    toys.pip(no_index="", find_links="")
    monkeypatch.setenv(variable, "http://index.invalid/simple")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    message = blocked(toys, "toy==1.0.0")
    address = f"http://index.invalid/simple (set by {variable}): "
    assert f"no host has the name in the address of a package index: {address}" in message or (
        f"there is no network: {address}" in message  # a resolver that does not answer
    )


def test_a_version_that_is_missing_is_no_conclusion_while_an_index_does_not_answer(
    toys: Toys, closed_port: int
) -> None:
    toys.wheel("1.0.0")
    assert "Closest versions for this Python: 1.0.0" in blocked(toys, "toy==1.3.0")
    url = f"http://127.0.0.1:{closed_port}/simple"
    toys.pip(no_index="", index_url=url)
    for name in ("toy==1.3.0", "toy>=7"):
        message = blocked(toys, name)
        assert f"a package index does not answer: {url} (set by PIP_INDEX_URL): " in message
        assert "losest version" not in message
        assert "newest version" not in message


def test_the_versions_of_a_range_are_not_those_of_the_other_indexes(toys: Toys, closed_port: int) -> None:
    toys.define()
    toys.wheel("1.0.0")
    assert toys.versions(">=1") == ["1.0.0"]
    url = f"http://127.0.0.1:{closed_port}/simple"
    toys.pip(no_index="", index_url=url)
    expected = f"the versions toy>=1 are not known: a package index does not answer: {url} (set by PIP_INDEX_URL): "
    with pytest.raises(TargetBlocked, match=re.escape(expected)):
        toys.versions(">=1")


def test_offline_installs_what_is_at_hand_and_says_so_where_that_is_not_enough(toys: Toys) -> None:
    toys.pip(no_index="", find_links="", index_url="https://index.invalid/simple")
    message = blocked(toys, "toy", offline=True)
    assert "With --offline, only packages in uv's cache can be installed" in message
    toys.wheel("1.0.0")
    toys.pip(no_index="1", find_links=str(toys.wheels))
    assert toys.ensure("toy", offline=True).version == "1.0.0"


def test_an_index_folder_that_is_missing_costs_a_line(toys: Toys) -> None:
    toys.wheel("1.0.0")
    toys.pip(no_index="", index_url=toys.wheels.as_uri(), extra_index_url="file:///no/such/simple")
    assert toys.ensure("toy").version == "1.0.0"
    assert "ignoring index file:///no/such/simple (set by PIP_EXTRA_INDEX_URL): folder not found" in toys.messages


def test_an_index_that_cannot_be_reached_costs_a_line(toys: Toys, closed_port: int) -> None:
    toys.wheel("1.0.0")
    url = f"http://127.0.0.1:{closed_port}/simple"
    toys.pip(no_index="", index_url=toys.wheels.as_uri(), extra_index_url=url)
    assert toys.ensure("toy").version == "1.0.0"
    assert any(line.startswith(f"ignoring index {url} (set by PIP_EXTRA_INDEX_URL): ") for line in toys.messages)


def test_a_failed_installation_shows_the_installers_words_and_leaves_nothing(toys: Toys) -> None:
    path = toys.wheel("1.0.0")
    with zipfile.ZipFile(path) as wheel:
        start = wheel.getinfo("toy/__init__.py").header_offset + 30 + len("toy/__init__.py")
    content = bytearray(path.read_bytes())
    content[start] ^= 0xFF  # what resolves by its metadata, and cannot be unpacked
    path.write_bytes(content)
    message = blocked(toys, "toy")
    assert "toy==1.0.0 could not be installed. uv's last lines:" in message
    assert "toy-1.0.0" in message


def test_an_interrupted_installation_leaves_nothing(toys: Toys) -> None:
    toys.wheel("1.0.0")

    def interrupt(line: str) -> None:
        if line.startswith("Installed"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ensure(toys.target("toy"), report=interrupt, home=toys.home)
    assert toys.folders() == []


def test_a_half_made_environment_is_made_again(toys: Toys) -> None:
    toys.wheel("1.0.0")
    made = toys.ensure("toy")
    assert made.folder is not None
    (record,) = made.folder.glob("*.json")
    record.unlink()
    (made.folder / "rest").write_text("of an interrupted run", encoding="utf-8")
    assert toys.ensure("toy").packages == {"toy": "1.0.0"}
    assert not (made.folder / "rest").exists()


def test_a_damaged_record_counts_as_none(toys: Toys) -> None:
    toys.wheel("1.0.0")
    made = toys.ensure("toy")
    assert made.folder is not None
    (record,) = made.folder.glob("*.json")
    for damage in ("", "{}", "[1]", '{"format": 99}', "\x00"):
        record.write_text(damage, encoding="utf-8")
        assert read_environment(made.folder) is None, damage
    assert toys.ensure("toy") == read_environment(made.folder)


def test_an_environment_whose_python_is_gone_is_made_again(toys: Toys) -> None:
    toys.wheel("1.0.0")
    made = toys.ensure("toy")
    made.python.unlink()
    made.python.symlink_to("/no/such/python")
    assert imported_version(toys.ensure("toy")) == "1.0.0"


_MAKE = """
import sys
from pathlib import Path
from conformance.environments.definition import find_definitions
from conformance.environments.environment import ensure
from conformance.environments.resolve import resolve

(target,) = resolve(["toy"], find_definitions(Path(sys.argv[1])))
print(ensure(target, report=lambda line: print(line, file=sys.stderr, flush=True)).version)
"""


def test_two_runs_at_once_make_one_environment(toys: Toys) -> None:
    toys.wheel("1.0.0")
    command = [sys.executable, "-c", _MAKE, str(toys.adapters)]
    with locked(toys.home, "toy-1.0.0-cpu", toys.messages.append):
        runs = [
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)
            for _ in range(2)
        ]
        for run in runs:
            assert run.stderr is not None
            assert run.stderr.readline() == "another run is creating it; waiting\n"
    ended = [run.communicate() for run in runs]
    assert [out for out, _ in ended] == ["1.0.0\n", "1.0.0\n"]
    assert sum("installing 1 package " in errors for _, errors in ended) == 1


_KILLED = """
import sys
from dataclasses import replace
from pathlib import Path
from conformance.environments.stored import locked
from conformance.environments.uv import Uv

home = Path(sys.argv[1])
with locked(home, "toy-1.0.0-cpu", print) as lock:
    uv = Uv(Path(sys.executable), {}, home, lock=lock)
    uv.run("-c", "import os, time; print(os.getpid(), file=open('uv', 'w'), flush=True); time.sleep(600)")
"""


def test_what_a_killed_run_is_still_installing_ends_before_another_run_installs_there(toys: Toys) -> None:
    toys.home.mkdir(parents=True, exist_ok=True)
    with subprocess.Popen([sys.executable, "-c", _KILLED, str(toys.home)]) as run:
        note = toys.home / "uv"
        while not note.exists() or not note.read_text().strip():
            time.sleep(0.01)
        run.kill()
    installing, file = int(note.read_text()), toys.home / "locks" / "toy-1.0.0-cpu.lock"
    with file.open("a+b") as lock:
        assert not try_lock(lock.fileno())
        os.kill(installing, signal.SIGKILL)
        while not try_lock(lock.fileno()):
            time.sleep(0.01)


def test_a_home_that_cannot_be_written_blocks_the_target(toys: Toys) -> None:
    toys.home.write_text("a file", encoding="utf-8")
    with pytest.raises(TargetBlocked, match="set CONFORMANCE_HOME to another folder"):
        toys.ensure("toy")


def test_the_home_is_a_folder_of_the_users_cache_unless_a_variable_names_another(tmp_path: Path) -> None:
    assert home_folder({"CONFORMANCE_HOME": str(tmp_path)}) == tmp_path
    assert home_folder({"XDG_CACHE_HOME": str(tmp_path)}) == tmp_path / "conformance"
    assert home_folder({}) == Path.home() / ".cache" / "conformance"


def test_a_users_file_runs_in_an_environment_with_numpy_alone(toys: Toys, tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("", encoding="utf-8")
    toys.wheel("2.4.0", "numpy")
    made = toys.ensure(str(mine))
    assert made.packages == {"numpy": "2.4.0"}
    assert (made.version, made.requirement) == (None, "numpy")


def test_a_users_file_with_a_target_toml_has_an_environment_of_its_own(toys: Toys, tmp_path: Path) -> None:
    toys.wheel("1.0.0")
    toys.ensure("toy")
    own = tmp_path / "own"
    own.mkdir()
    content = (toys.adapters / "toy" / "target.toml").read_text(encoding="utf-8")
    (own / "target.toml").write_text(content, encoding="utf-8")
    (own / "toy.py").write_text("", encoding="utf-8")
    assert toys.ensure(str(own / "toy.py")).version == "1.0.0"
    assert len(toys.folders()) == 2


def test_the_record_is_json_that_names_no_folder(toys: Toys) -> None:
    toys.wheel("1.0.0")
    made = toys.ensure("toy")
    assert made.folder is not None
    (record,) = made.folder.glob("*.json")
    content = json.loads(record.read_text(encoding="utf-8"))
    assert (content["format"], content["python"], content["folder"]) == (1, "bin/python", None)
