from __future__ import annotations

import sys
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from conformance import __version__
from conformance.data_folders import adapters_folder
from conformance.environments.definition import Definition, Mode, find_definitions
from conformance.environments.errors import TargetBlocked, TargetError
from conformance.environments.recipe import recipe_for
from conformance.environments.resolve import canonical_id, check_version, resolve
from tests.environments.toys import Toys


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "own" / "mine.py"
    path.parent.mkdir()
    path.write_text("def setup(device, mode): ...\n", encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def _toy(toys: Toys) -> None:
    toys.define()


def refusal(toys: Toys, name: str) -> str:
    with pytest.raises(TargetError) as caught:
        toys.target(name)
    assert caught.value.exit_status == 4
    return str(caught.value)


def test_what_a_name_leaves_out_is_the_definitions_default(toys: Toys) -> None:
    target = toys.target("toy")
    assert (target.mode, target.device, target.gpu) == ("eager", "cpu", False)
    assert target.specifier == SpecifierSet("==1.0.0")
    assert (target.framework, target.title) == ("toy", "Toy")
    assert target.adapter == toys.adapters / "toy" / "adapter.py"
    assert target.interpreter is None


def test_a_numbered_device_is_one_of_its_kind(toys: Toys) -> None:
    target = toys.target("toy>=1[compile]@cuda:1")
    assert (target.mode, target.device, target.device_kind, target.gpu) == ("compile", "cuda:1", "cuda", True)
    assert target.specifier == SpecifierSet(">=1")


def test_the_targets_keep_the_order_of_their_names_and_lose_repetitions(toys: Toys) -> None:
    names = ["toy[compile]", "toy", "toy==1.0.0@cpu", "toy==1.1", "toy[eager]", "toy==1.1.0"]
    asked = [target.asked for target in resolve(names, toys.definitions())]
    assert asked == ["toy[compile]", "toy", "toy==1.1"]


def test_an_unknown_framework_is_refused_with_the_nearest_and_all_that_are_known() -> None:
    definitions = find_definitions(adapters_folder())
    available = "Available frameworks: array_api_strict, dask, jax, keras, "
    with pytest.raises(TargetError, match=rf"unknown framework 'pytorch'; did you mean 'torch'\? {available}"):
        resolve(["pytorch"], definitions)
    with pytest.raises(TargetError, match=r"did you mean 'tensorflow'\?"):
        resolve(["TensorFlow"], definitions)
    with pytest.raises(TargetError, match=r"unknown framework 'xyz'\. Available frameworks: "):
        resolve(["xyz"], definitions)


def test_a_mode_or_device_that_is_absent_is_refused_with_those_that_are_there(toys: Toys) -> None:
    assert "Toy has no mode 'compil' (available: eager, compile); did you mean 'compile'?" in refusal(
        toys, "toy[compil]"
    )
    assert refusal(toys, "toy[xla]").endswith("(available: eager, compile)")
    assert "Toy has no device 'tpu'" in refusal(toys, "toy@tpu:0")
    assert "(available: cpu, cuda)" in refusal(toys, "toy@tpu")


def test_a_version_that_target_toml_cannot_install_is_refused_at_once(toys: Toys) -> None:
    assert "Toy 0.9" in refusal(toys, "toy==0.9")
    assert "target.toml; supported: 1 and later. Use one of these" in refusal(toys, "toy==0.9")
    assert "cannot be installed for device cuda" in refusal(toys, "toy@cuda")


def test_a_missing_adapter_is_refused(toys: Toys) -> None:
    (toys.adapters / "toy" / "adapter.py").unlink()
    assert "adapter.py is missing" in refusal(toys, "toy")


def test_a_users_file_needs_no_definition(toys: Toys, mine: Path) -> None:
    target = toys.target(f"{mine}[fast]@cuda:1")
    assert (target.framework, target.title, target.definition, target.specifier) == ("mine", "mine", None, None)
    assert (target.mode, target.device, target.gpu) == ("fast", "cuda:1", True)
    plain = toys.target(str(mine))
    assert (plain.mode, plain.device, plain.gpu) == ("eager", "cpu", False)


@pytest.mark.parametrize(
    ("source", "takes_modes"),
    [
        ("def setup(device, mode): ...", True),
        ("from helpers import prepare", True),
        ("prepare = compile", True),
        ("a syntax error", True),  # which starting the target reports
        ("def gather(input, dim, index): ...", False),
        ("def gather():\n    def setup(device, mode): ...", False),
    ],
)
def test_a_users_file_has_modes_only_if_a_function_of_it_gets_them(
    toys: Toys, mine: Path, source: str, takes_modes: bool
) -> None:
    mine.write_text(source, encoding="utf-8")
    assert toys.target(f"{mine}[eager]").mode == "eager"
    if takes_modes:
        assert toys.target(f"{mine}[fast]").mode == "fast"
    else:
        assert "neither setup(device, mode) nor prepare(function, mode)" in refusal(toys, f"{mine}[fast]")


def test_a_target_toml_beside_a_users_file_defines_it(toys: Toys, mine: Path) -> None:
    content = (toys.adapters / "toy" / "target.toml").read_text(encoding="utf-8")
    (mine.parent / "target.toml").write_text(content, encoding="utf-8")
    target = toys.target(str(mine))
    assert target.definition is not None
    assert (target.framework, target.title, target.adapter) == ("mine", "Toy", mine)
    assert target.specifier == SpecifierSet("==1.0.0")
    assert "Toy has no mode 'fast'" in refusal(toys, f"{mine}[fast]")


def test_a_users_file_that_is_not_there_is_refused(toys: Toys, tmp_path: Path) -> None:
    assert "adapter file not found" in refusal(toys, str(tmp_path / "none.py"))
    assert "a folder" in refusal(toys, str(tmp_path))


def test_the_reference_has_the_suites_version() -> None:
    definitions = find_definitions(adapters_folder())
    (target,) = resolve(["reference"], definitions)
    assert canonical_id(target, __version__) == f"reference=={__version__}@cpu"
    assert resolve([f"reference=={__version__}"], definitions)[0].specifier == target.specifier
    with pytest.raises(TargetError, match="part of this suite"):
        resolve(["reference==99"], definitions)


@pytest.mark.parametrize(
    ("name", "version", "expected"),
    [
        ("toy", None, "toy@cpu"),
        ("toy", "1.0.0", "toy==1.0.0@cpu"),
        ("toy", "1.0.0+cpu", "toy==1.0.0@cpu"),
        ("toy==1.0.0+cpu", "1.0.0+cpu", "toy==1.0.0+cpu@cpu"),
        ("toy>=1[compile]@cuda:0", "1.2", "toy==1.2[compile]@cuda:0"),
        ("toy[eager]", "2.0.dev1+git.abc", "toy==2.0.dev1@cpu"),
        ("toy", "nightly", "toy==nightly@cpu"),
    ],
)
def test_the_canonical_id_shows_what_was_found_and_what_is_no_default(
    toys: Toys, name: str, version: str | None, expected: str
) -> None:
    assert canonical_id(toys.target(name), version) == expected


def test_the_canonical_id_of_a_file_is_its_path_without_a_version(toys: Toys, mine: Path) -> None:
    assert canonical_id(toys.target(str(mine)), "1.0") == f"{mine}@cpu"
    assert canonical_id(toys.target(f"{mine}[fast]@cuda:0"), None) == f"{mine}[fast]@cuda:0"


def test_a_users_interpreter_counts_for_every_target_and_decides_the_version(toys: Toys, mine: Path) -> None:
    here = resolve(["toy", str(mine)], toys.definitions(), here=True)
    assert [target.interpreter for target in here] == [Path(sys.executable)] * 2
    assert here[0].specifier is None
    named = toys.target("toy==0.9", python=Path(sys.executable))
    assert named.interpreter == Path(sys.executable)
    assert named.specifier == SpecifierSet("==0.9")


def test_an_interpreter_that_is_missing_a_folder_or_given_twice_is_refused(toys: Toys, tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="file not found; expected a Python interpreter"):
        toys.target("toy", python=tmp_path / "none")
    with pytest.raises(TargetError, match="is a folder; expected a Python interpreter") as caught:
        toys.target("toy", python=Path(sys.executable).parents[1])
    assert "bin/python" in str(caught.value)
    with pytest.raises(TargetError, match="cannot be combined"):
        toys.target("toy", python=Path(sys.executable), here=True)


def test_a_version_that_was_not_asked_for_blocks_the_target(toys: Toys) -> None:
    target = toys.target("toy>=2", here=True)
    check_version(target, "2.0+local")
    check_version(toys.target("toy", here=True), "0.1")
    with pytest.raises(TargetBlocked, match=r"is 1\.9, which does not match >=2") as caught:
        check_version(target, "1.9")
    assert caught.value.exit_status == 6


def test_torch_for_the_cpu_is_sought_as_a_cpu_build_first() -> None:
    torch = find_definitions(adapters_folder())["torch"]
    attempts = recipe_for(torch, "2.13.0", "cpu", "eager", own=False).attempts
    assert [(attempt.requirements[0], attempt.torch_backend) for attempt in attempts] == [
        ("torch==2.13.0+cpu", None),
        ("torch==2.13.0", "cpu"),
        ("torch==2.13.0", None),
    ]


def test_one_version_has_one_environment_however_it_is_written(toys: Toys) -> None:
    definition = toys.definitions()["toy"]
    names = {recipe_for(definition, version, "cpu", "eager", own=False).name for version in ("1.2", "1.2.0")}
    assert names == {"toy-1.2.0-cpu"}
    assert recipe_for(definition, "1.2rc1", "cpu", "eager", own=False).name == "toy-1.2.0rc1-cpu"
    assert recipe_for(definition, "1.2+cpu", "cpu", "eager", own=False).name == "toy-1.2.0+cpu-cpu"


def with_modes(toys: Toys, modes: dict[str, Mode]) -> Definition:
    toy = toys.definitions()["toy"]
    return toy.model_copy(update={"modes": {**toy.modes, **modes}})


def test_a_mode_that_needs_more_has_an_environment_of_its_own_with_the_tested_versions_of_other_targets(
    toys: Toys,
) -> None:
    definition = with_modes(toys, {"exported": Mode(targets=["onnxruntime"], extra=["onnxscript>=0.7"])})
    alone, more = (recipe_for(definition, "1.2", "cpu", mode, own=False) for mode in ("eager", "exported"))
    runtime = find_definitions(adapters_folder())["onnxruntime"]
    expected = (*alone.attempts[0].requirements, f"onnxruntime=={runtime.tested}", "onnx>=1.20", "onnxscript>=0.7")
    assert more.name == f"{alone.name}-exported"
    assert more.attempts[0].requirements == expected
    assert str(more.python) == str(alone.python & SpecifierSet(">=3.11"))


def test_the_builds_of_another_target_are_tried_in_its_order(toys: Toys) -> None:
    definition = with_modes(toys, {"on-torch": Mode(targets=["torch"])})
    attempts = recipe_for(definition, "1.2", "cpu", "on-torch", own=False).attempts
    for_each_build_of_toy = attempts[:3], attempts[3:]
    for builds in for_each_build_of_toy:
        assert [attempt.torch_backend for attempt in builds] == [None, "cpu", None]
        assert "+cpu" in builds[0].requirements[1]


def test_a_mode_that_needs_a_target_that_does_not_exist_is_an_error_that_names_the_others(toys: Toys) -> None:
    definition = with_modes(toys, {"wrong": Mode(targets=["torhc"])})
    with pytest.raises(TargetError, match=r"toy/target.toml: modes name the target 'torhc'; available: .*torch"):
        recipe_for(definition, "1.2", "cpu", "wrong", own=False)
