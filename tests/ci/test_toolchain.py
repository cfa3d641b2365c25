# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The cross compiler's settings and the search for Pythons, with this machine's compiler in place of zig's."""

import dataclasses
import os
import pathlib
import platform
import shutil
import sys
import sysconfig

import pytest

toolchain = pytest.importorskip("ci.wheels.toolchain", reason="runs in a checkout")
COMPILER = shutil.which("gcc") or shutil.which("cc")
VERSION = sysconfig.get_config_var("py_version_short") + ("t" if sysconfig.get_config_var("Py_GIL_DISABLED") else "")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")


@pytest.fixture
def python():
    return toolchain.ask(sys.executable)


@pytest.fixture
def compiler(tmp_path):
    return toolchain.Compiler(platform.machine(), COMPILER, tmp_path)


def test_what_a_python_says_of_itself(python):
    assert python.version == VERSION
    assert python.suffix == sysconfig.get_config_var("EXT_SUFFIX")
    assert os.path.isfile(f"{python.include}/Python.h")


def test_settings_of_another_machine(python, tmp_path):
    python = dataclasses.replace(python, suffix=".cpython-314t-x86_64-linux-gnu.so")
    settings = toolchain.Compiler("aarch64", "aarch64-cc", tmp_path).environment(python)
    assert settings["SETUPTOOLS_EXT_SUFFIX"] == ".cpython-314t-aarch64-linux-gnu.so"
    assert settings["_PYTHON_HOST_PLATFORM"] == "linux-aarch64"
    assert (settings["CC"], settings["LDSHARED"]) == ("aarch64-cc", "aarch64-cc -shared")


@needs_compiler
def test_the_headers_of_this_python_serve_this_machine(python, compiler):
    toolchain.check_headers(python, compiler)


@needs_compiler
@pytest.mark.parametrize(("name", "size"), [("SIZEOF_LONG", 4), ("SIZEOF_WCHAR_T", 2), ("ALIGNOF_LONG", 2)])
def test_headers_with_other_sizes_are_refused(python, compiler, tmp_path, name, size):
    include = tmp_path / "include"
    shutil.copytree(python.include, include)
    text = toolchain.pyconfig(python).read_text()
    changed = toolchain.re.sub(rf"#define {name} \d+", f"#define {name} {size}", text)
    assert changed != text
    (include / "pyconfig.h").write_text(changed)
    with pytest.raises(toolchain.WheelError, match=rf"do not serve {compiler.machine}: .*"):
        toolchain.check_headers(dataclasses.replace(python, include=str(include)), compiler)


def test_missing_headers_are_named(python, compiler, tmp_path):
    with pytest.raises(toolchain.WheelError, match=r"has no headers: .*pyconfig.h is missing"):
        toolchain.check_headers(dataclasses.replace(python, include=str(tmp_path)), compiler)


def test_headers_of_debian_serve_both_machines(python, tmp_path):
    """Debian's pyconfig.h is in a folder of the machine."""
    include, own = tmp_path / "python3.11", tmp_path / f"{platform.machine()}-linux-gnu/python3.11/pyconfig.h"
    own.parent.mkdir(parents=True)
    own.write_text("#define SIZEOF_LONG 8\n")
    python = dataclasses.replace(python, include=str(include))
    (option,) = toolchain.header_options(python, tmp_path / "work")
    for machine in toolchain.MACHINES:
        found = pathlib.Path(option.removeprefix("-I")) / f"{machine}-linux-gnu/python3.11/pyconfig.h"
        assert found.read_text() == own.read_text()


@needs_compiler
def test_pythons_are_found_by_version(compiler, monkeypatch):
    monkeypatch.setenv("WHEEL_PYTHONS", f"/no/such/python:{sys.executable}")
    found, reasons = toolchain.find_interpreter(VERSION, [compiler])
    assert found.path == sys.executable
    assert len(reasons) == 1
    assert "/no/such/python" in reasons[0]
    assert toolchain.find_interpreter("3.99", [compiler])[0] is None


def test_missing_packages_are_named():
    with pytest.raises(toolchain.WheelError, match=r"lacks no_such_module, nor_this: pip install -r ci/wheels/req"):
        toolchain.require("sys", "no_such_module", "nor_this")
