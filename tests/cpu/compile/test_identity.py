# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The disk cache's keys have all that machine code depends on."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

from cuda.cpu.compile import identity, jit
from cuda.cpu.ptx import program as ptx_program

pytestmark = pytest.mark.cpu_only
KERNEL = ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n"


@pytest.fixture(autouse=True)
def _no_memory():
    identity.compiler.cache_clear()
    identity.cpu.cache_clear()
    yield
    identity.compiler.cache_clear()
    identity.cpu.cache_clear()


def key(monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the key of a kernel: that which the cache is asked for."""
    asked = []

    def find(key):
        asked.append(key)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(jit.cache, "find", find)
        with pytest.raises(KeyboardInterrupt):
            jit.compile_kernel(ptx_program.build([KERNEL]), "k")
    return asked[0]


@pytest.fixture
def llvmlite(tmp_path, monkeypatch):
    """Return a package that looks like llvmlite, with LLVM in its library."""
    package = tmp_path / "llvmlite"
    (package / "binding").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "_version.py").write_text("1.0")
    with open(package / "binding" / "libllvmlite.so", "wb") as file:
        file.truncate(identity.LINKED_IN)
    monkeypatch.delitem(sys.modules, "llvmlite", raising=False)
    monkeypatch.setattr(sys, "path", ["", "relative", str(tmp_path), *sys.path])
    return package


def test_llvmlite_and_llvm_change_the_key(llvmlite, monkeypatch):
    assert identity.find_llvmlite() == str(llvmlite)
    keys = {key(monkeypatch)}
    (llvmlite / "_version.py").write_text("1.10")
    identity.compiler.cache_clear()
    keys.add(key(monkeypatch))
    with open(llvmlite / "binding" / "libllvmlite.so", "ab") as file:
        file.write(b"x")
    identity.compiler.cache_clear()
    keys.add(key(monkeypatch))
    os.utime(llvmlite / "binding" / "libllvmlite.so", (1, 1))
    identity.compiler.cache_clear()
    keys.add(key(monkeypatch))
    assert len(keys) == 4


def test_a_library_of_the_system_is_asked_for_its_version(monkeypatch):
    pytest.importorskip("llvmlite")
    monkeypatch.setattr(identity, "LINKED_IN", 1 << 40)
    import llvmlite.binding

    assert str(llvmlite.binding.llvm_version_info) in identity.llvm()
    first = key(monkeypatch)
    monkeypatch.setattr(llvmlite.binding, "llvm_version_info", (99, 0, 0))
    identity.compiler.cache_clear()
    assert key(monkeypatch) != first


def test_where_there_is_no_llvmlite(monkeypatch):
    monkeypatch.setattr(identity, "find_llvmlite", lambda: None)
    assert identity.llvm() == ""
    assert key(monkeypatch)


def test_the_cpu_and_its_features_change_the_key(tmp_path, monkeypatch):
    keys = set()
    for text in ("model name\t: A\nflags\t\t: sse2 avx\n\nprocessor : 1\n", "model name\t: A\nflags\t\t: sse2\n\n"):
        (tmp_path / "cpuinfo").write_text(text)
        monkeypatch.setattr(identity, "CPUINFO", str(tmp_path / "cpuinfo"))
        identity.cpu.cache_clear()
        keys.add(key(monkeypatch))
        assert identity.cpu_has("avx") == ("avx" in text)
    assert len(keys) == 2


def test_without_proc_llvm_knows_the_cpu(monkeypatch):
    pytest.importorskip("llvmlite")
    names = ("avx2", "avx512f", "cx16", "AuthenticAMD")
    before = [identity.cpu_has(name) for name in names]
    monkeypatch.setattr(identity, "CPUINFO", "/nonexistent")
    identity.cpu.cache_clear()
    assert [identity.cpu_has(name) for name in names] == before
    assert key(monkeypatch)


def test_the_compiler_s_modules_change_the_key(tmp_path, monkeypatch):
    (tmp_path / "emit").mkdir()
    module = tmp_path / "emit" / "a.py"
    monkeypatch.setattr(identity, "PACKAGE", str(tmp_path))
    monkeypatch.setattr(identity, "SOURCES", (".", "emit"))
    found = []
    for change in (
        lambda: module.write_text("1"),
        lambda: module.write_text("12"),
        lambda: os.utime(module, ns=(5, 5)),
        lambda: os.utime(module, ns=(5, 6)),
        lambda: module.rename(tmp_path / "emit" / "b.py"),
        lambda: (tmp_path / "emit" / "b.py").rename(tmp_path / "b.py"),
    ):
        change()
        identity.compiler.cache_clear()
        found.append(key(monkeypatch))
    assert len(set(found)) == len(found)
    (tmp_path / "no_module.txt").write_text("")
    identity.compiler.cache_clear()
    assert key(monkeypatch) == found[-1]


def test_every_module_that_makes_machine_code_is_in_the_key():
    script = f"""
import sys
from cuda.cpu.compile import identity, jit
from cuda.cpu.ptx import program
jit.build_object(program.build([{KERNEL!r}]), "k")
for name, module in sys.modules.items():
    if name.startswith("cuda.cpu.") and module.__file__:
        print(module.__file__)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    folders = [pathlib.Path(identity.PACKAGE, folder) for folder in identity.SOURCES]
    known = {str(path.resolve()) for folder in folders for path in folder.glob("*.py")}
    loaded = {os.path.realpath(line) for line in done.stdout.splitlines()}
    missing = {path for path in loaded - known if pathlib.Path(path).suffix == ".py"}
    assert {pathlib.Path(path).parent.name for path in missing} <= {"cpu"}  # the cache folder and the like
    assert len(loaded & known) > 50


def test_links_to_the_package_and_llvmlite_do_not_change_the_key(tmp_path):
    """`run --python` makes such links in a folder that is new each time."""
    llvmlite = pytest.importorskip("llvmlite")
    found = set()
    for name in ("first", "second"):
        folder = tmp_path / name
        (folder / "cuda").mkdir(parents=True)
        (folder / "cuda" / "cpu").symlink_to(pathlib.Path(identity.__file__).parents[1])
        (folder / "llvmlite").symlink_to(pathlib.Path(llvmlite.__file__).parent)
        code = "from cuda.cpu.compile import identity; print(identity.__file__, identity.compiler().hex())"
        done = subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": str(folder)}, capture_output=True, text=True,
            check=True,
        )  # fmt: skip
        file, value = done.stdout.split()
        assert file.startswith(str(folder))
        found.add(value)
    assert len(found) == 1
