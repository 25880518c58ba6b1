from __future__ import annotations

from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from conformance.environments.name import TargetName, TargetNameError, exact_version, parse_target


@pytest.mark.parametrize(
    ("text", "specifier", "mode", "device"),
    [
        ("torch", None, None, None),
        ("torch==2.13.0", "==2.13.0", None, None),
        ("torch==2.*", "==2.*", None, None),
        ("torch>=2.10", ">=2.10", None, None),
        ("torch >= 2.10, <3 @ cpu", ">=2.10,<3", None, "cpu"),
        ("torch~=2.10.0", "~=2.10.0", None, None),
        ("torch!=2.10.0", "!=2.10.0", None, None),
        ("torch==2.13.0+cpu", "==2.13.0+cpu", None, None),
        ("torch==2.14.0rc1@cuda", "==2.14.0rc1", None, "cuda"),
        ("torch[compile]", None, "compile", None),
        ("torch@cuda:1", None, None, "cuda:1"),
        ("torch[compile]@cuda:0", None, "compile", "cuda:0"),
        ("torch==2.13.0[compile]@cuda:0", "==2.13.0", "compile", "cuda:0"),
        ("torch[compile]==2.13.0@cuda:0", "==2.13.0", "compile", "cuda:0"),
        ("torch[ compile ]>=2.1,<3", ">=2.1,<3", "compile", None),
        ("  torch  ", None, None, None),
    ],
)
def test_a_name_is_split_from_the_right(text: str, specifier: str | None, mode: str | None, device: str | None) -> None:
    expected = SpecifierSet(specifier) if specifier else None
    assert parse_target(text) == TargetName("torch", expected, mode, device)


@pytest.mark.parametrize(
    ("text", "path", "mode", "device"),
    [
        ("./mine.py", "./mine.py", None, None),
        ("mine.py", "mine.py", None, None),
        ("../a/mine.py@cpu", "../a/mine.py", None, "cpu"),
        ("./mine.py[fast]@cuda:1", "./mine.py", "fast", "cuda:1"),
        ("./me@home/mine.py", "./me@home/mine.py", None, None),
        ("./me@home/mine.py@cpu", "./me@home/mine.py", None, "cpu"),
        ("./mine@cpu.py", "./mine@cpu.py", None, None),
        ("./a=b/mine.py", "./a=b/mine.py", None, None),
        ("./a[1]/mine.py", "./a[1]/mine.py", None, None),
        ("~/mine.py", "~/mine.py", None, None),
        ("folder/mine", "folder/mine", None, None),
    ],
)
def test_a_path_may_hold_what_a_name_may_not(text: str, path: str, mode: str | None, device: str | None) -> None:
    assert parse_target(text) == TargetName(path, None, mode, device, Path(path))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("==2.13.0", "no name"),
        ("@cpu", "no name"),
        ("[compile]", "no name"),
        ("torch@", "nothing follows the @"),
        ("torch@@cpu", "invalid name 'torch@'"),
        ("torch@cuda:", "not a device: 'cuda:'"),
        ("torch@cuda:x", "not a device: 'cuda:x'"),
        ("torch@cuda:1:2", "not a device: 'cuda:1:2'"),
        ("torch@cpu cuda", "not a device: 'cpu cuda'"),
        ("torch@2.13.0", "write a version as torch==2.13.0"),
        ("torch @ https:x", "not a device: 'https:x'"),
        ("torch[]", "empty brackets; expected a mode"),
        ("torch[ ]==2.13.0", "empty brackets; expected a mode"),
        ("torch[a,b]", "several modes"),
        ("torch[2fast]", "not a mode: '2fast'"),
        ("torch[compile", "unbalanced ["),
        ("torch]", "unbalanced ]"),
        ("torch[a][b]", "unbalanced or repeated brackets"),
        ("torch[a]==2.13.0[b]", "unbalanced or repeated brackets"),
        ("torch==2.13.0]compile[", "unbalanced"),
        ("torch=2.13.0", "did you mean torch==2.13.0"),
        ("torch==", "invalid version specifier '=='"),
        ("torch==x", "invalid version specifier '==x'"),
        ("torch=>2.1", "invalid version specifier '=>2.1'"),
        ("torch>=2.*", "invalid version specifier '>=2.*'"),
        ("torch==2.13.0;python>3", "invalid version specifier"),
        ("torch 2.13.0", "invalid name 'torch 2.13.0'"),
        ("torch:2.13.0", "invalid name 'torch:2.13.0'"),
        ("-torch", "invalid name '-torch'"),
        ("torch-", "invalid name 'torch-'"),
        ("tørch", "invalid name 'tørch'"),
        ("./mine.py==1.0", "an adapter file has no version; remove '==1.0'"),
        ("./mine.py[fast]==1.0", "an adapter file has no version"),
        ("./mine.py[]", "empty brackets; expected a mode"),
        ("tor\nch", "control character"),
        ("torch\x1b[31m", "control character"),
    ],
)
def test_what_does_not_parse_is_refused_with_the_problem(text: str, problem: str) -> None:
    with pytest.raises(TargetNameError) as caught:
        parse_target(text)
    message = str(caught.value)
    assert problem in message
    assert message.startswith(repr(text))
    assert '"torch==2.13.0[compile]@cuda:0"' in message


@pytest.mark.parametrize(
    ("specifier", "version"),
    [
        ("==2.13.0", "2.13.0"),
        ("===2.13.0", "2.13.0"),
        ("==2.13.0+cpu", "2.13.0+cpu"),
        ("==2.*", None),
        (">=2.13.0", None),
        ("==2.13.0,<3", None),
        ("===nightly", None),
    ],
)
def test_a_specifier_is_exact_when_it_names_one_version(specifier: str, version: str | None) -> None:
    assert exact_version(SpecifierSet(specifier)) == version
