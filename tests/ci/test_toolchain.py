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


# What python3.14 answers; this machine's Python stands in for the rest.
DEBIAN = """
import json, sys
if "build_time_vars" in sys.argv[2]:
    print("build_time_vars = {'SOABI': 'cpython-314t-x86_64-linux-gnu', 'Py_GIL_DISABLED': 1}")
else:
    print(json.dumps(ANSWER))
"""


@needs_compiler
@pytest.mark.skipif(VERSION.endswith("t"), reason="stands for a Python with the GIL")
def test_headers_of_the_release_serve_its_free_threaded_build(python, compiler, tmp_path, monkeypatch):
    answer = {"version": "3.14", "release": "3.14.0", "include": python.include}
    answer["suffix"] = f".cpython-314-{platform.machine()}-linux-gnu.so"
    program = tmp_path / "python3.14"
    program.write_text(f"#!{sys.executable}\n{DEBIAN.replace('ANSWER', repr(answer))}")
    program.chmod(0o755)
    monkeypatch.setenv("WHEEL_PYTHONS", str(program))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    found, reasons = toolchain.find_interpreter("3.14t", [])
    assert (found.version, found.borrowed, reasons) == ("3.14t", True, [])
    settings = compiler.environment(found)
    assert "-DPy_GIL_DISABLED=1" in settings["CFLAGS"].split()
    assert settings["SETUPTOOLS_EXT_SUFFIX"] == f".cpython-314t-{platform.machine()}-linux-gnu.so"
    variables = pathlib.Path(settings["PYTHONPATH"]) / f"{settings['_PYTHON_SYSCONFIGDATA_NAME']}.py"
    assert "'Py_GIL_DISABLED': 1" in variables.read_text()


@pytest.mark.skipif(VERSION.endswith("t"), reason="stands for a Python with the GIL")
def test_build_variables_describe_the_free_threaded_build(python, tmp_path):
    settings = toolchain.build_variables(toolchain.free_threaded(python), tmp_path)
    query = "import sysconfig; print(*map(sysconfig.get_config_var, ('SOABI', 'Py_GIL_DISABLED')))"
    done = toolchain.subprocess.run(
        [sys.executable, "-c", query], env=os.environ | settings, capture_output=True, text=True, check=True
    )
    soabi = sysconfig.get_config_var("SOABI").replace("-", "t-", 2).replace("cpythont", "cpython")
    assert done.stdout.split() == [soabi, "1"]


def test_missing_packages_are_named():
    with pytest.raises(toolchain.WheelError, match=r"lacks no_such_module, nor_this: pip install -r ci/wheels/req"):
        toolchain.require("sys", "no_such_module", "nor_this")
