# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Each problem of a wheel is reported: wheels with one flaw each."""

import base64
import hashlib
import os
import platform
import shutil
import subprocess
import zipfile

import pytest

pytest.importorskip("elftools", reason="needs pyelftools, of the extra `test`")
check = pytest.importorskip("ci.wheels.check", reason="runs in a checkout")

COMPILER = shutil.which("gcc") or shutil.which("cc")
pytestmark = [
    pytest.mark.skipif(COMPILER is None, reason="no C compiler: the libraries of these wheels are written in C"),
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the wheels of these tests are for x86-64"),
]
INFO = "cuda_cpu-0.1.0.dist-info"
MODULE = "cuda/cpu/runtime/_runtime.cpython-311-x86_64-linux-gnu.so"
NAME = "cuda_cpu-0.1.0-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl"
TAGS = "".join(f"Tag: cp311-cp311-manylinux_2_{minor}_x86_64\n" for minor in (27, 28))
METADATA = f"""\
Metadata-Version: 2.4
Name: cuda-cpu
Version: 0.1.0
Summary: a driver
Author: developers
License-Expression: Apache-2.0
Keywords: CUDA
Classifier: Operating System :: POSIX :: Linux
Requires-Python: >=3.11.2
Description-Content-Type: text/markdown
Requires-Dist: llvmlite>=0.45

{"How to use it. " * 40}
"""


def link(folder, *options):
    """Return the content of a shared library."""
    source, target = folder / "module.c", folder / "module.so"
    source.write_text("int f(void) { return 1; }\n")
    subprocess.run([COMPILER, "-shared", "-fPIC", "-o", target, source, *options], check=True)
    return target.read_bytes()


@pytest.fixture(scope="session")
def module(tmp_path_factory):
    return link(tmp_path_factory.mktemp("module"), "-s", "-O1")


def record(files):
    lines = []
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(data)}")
    return "\n".join([*lines, f"{INFO}/RECORD,,\n"]).encode()


def found(folder, files, name=NAME):
    """Return the problems of a wheel with these files."""
    with zipfile.ZipFile(folder / name, "w") as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return list(check.problems(folder / name))


def contents(module, **changes):
    """Return the files of a wheel without a problem, and the changes; None removes a file."""
    files = {
        "cuda/cpu/__init__.py": b"",
        "cuda/cpu/entry/libcuda.so.1": module,
        MODULE: module,
        f"{INFO}/METADATA": METADATA.encode(),
        f"{INFO}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\n{TAGS}".encode(),
        f"{INFO}/licenses/LICENSE": b"Apache",
        f"{INFO}/licenses/NOTICE": b"Notice",
    }
    files |= changes.pop("files", {})
    files = {path: data for path, data in files.items() if data is not None}
    return files | {f"{INFO}/RECORD": record(files)}


def test_a_good_wheel_has_no_problems(tmp_path, module):
    assert found(tmp_path, contents(module)) == []


@pytest.mark.parametrize(
    ("path", "data", "problem"),
    [
        ("cuda/cpu/runtime/fiber.c", b"", "cuda/cpu/runtime/fiber.c does not belong into a wheel"),
        ("cuda/cpu/runtime/_runtime.pxd", b"", "cuda/cpu/runtime/_runtime.pxd does not belong into a wheel"),
        ("tests/test_jit.py", b"", "tests/test_jit.py is outside of the packages"),
        ("cuda/core/__init__.py", b"", "cuda/core/__init__.py is outside of the packages"),
        ("cuda/cpu/a.py", b"X = '/root/checkout/cuda_cpu/x.c'", "contains a path of the machine .*: /root/checkout/"),
        ("cuda/cpu/a.py", b"X = '/tmp/tmpab12cd34/tree/x.c'", "contains a path of the machine .*: /tmp/tmpab"),
        (f"{INFO}/licenses/NOTICE", None, "NOTICE is missing"),
        (f"{INFO}/METADATA", METADATA.replace("Summary: a driver\n", "").encode(), "METADATA lacks Summary"),
        (f"{INFO}/METADATA", METADATA.replace("use", "")[:600].encode(), r"METADATA lacks the description \(README\)"),
        (f"{INFO}/METADATA", METADATA.replace("0.1.0", "0.2.0").encode(), "METADATA has another name or version"),
        (f"{INFO}/WHEEL", b"Root-Is-Purelib: false\nTag: cp311-cp311-linux_x86_64\n", "WHEEL has the tags .*linux"),
        (f"{INFO}/WHEEL", f"Root-Is-Purelib: true\n{TAGS}".encode(), "WHEEL says that the root is pure Python"),
        ("cuda/cpu/big.py", os.urandom(2_000_000), rf"\d+ bytes; the limit is {check.MOST_BYTES['cuda_cpu']}"),
        ("cuda/cpu/runtime/queue.h", b"", r"cuda/cpu/runtime/queue.h does not belong into a wheel"),
    ],
)  # fmt: skip
def test_wrong_contents(tmp_path, module, path, data, problem):
    assert only(found(tmp_path, contents(module, files={path: data})), problem)


def only(problems, expected):
    """Return whether there is one problem, and it is the expected one."""
    __tracebackhide__ = True
    assert len(problems) == 1, problems
    return check.re.search(expected, problems[0])


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["-O1"], "_runtime.cpython-311-x86_64-linux-gnu.so is not stripped: .symtab"),
        (["-s", "-Wl,-rpath,/opt/lib"], "has an R(UN)?PATH"),
        (["-s", "-Wl,-z,execstack"], "asks for an executable stack"),
        (["-s", "-Wl,--no-as-needed", "-lgcc_s"], "needs libgcc_s.so.1"),
    ],
)
def test_wrong_libraries(tmp_path, module, options, problem):
    assert only(found(tmp_path, contents(module, files={MODULE: link(tmp_path, *options)})), problem)


def test_wrong_machine(tmp_path, module):
    other = module[:18] + (183).to_bytes(2, "little") + module[20:]
    assert only(found(tmp_path, contents(module, files={MODULE: other})), "_runtime.* is for EM_AARCH64")


def test_wrong_suffix(tmp_path, module):
    path = MODULE.replace("311", "312")
    assert only(
        found(tmp_path, contents(module, files={path: module})), r"does not end in \.cpython-311-x86_64-linux-gnu\.so"
    )


@pytest.mark.parametrize(("called", "tag", "kind"), [("_Py_DecRefShared", "311", "out"), ("_Py_Dealloc", "311t", "")])
def test_a_module_for_the_other_build_of_python(tmp_path, called, tag, kind):
    source = tmp_path / "other.c"
    source.write_text(f"void {called}(void *);\nvoid g(void *x) {{ {called}(x); }}\n")
    library = link(tmp_path, "-s", source)
    elf = check.ELFFile(check.io.BytesIO(library))
    (problem,) = check.reference_count_problems("a.so", elf, tag.endswith("t"))
    assert problem == f"a.so calls {called}: it is compiled for Python with{kind} the GIL"
    assert list(check.reference_count_problems("a.so", elf, not tag.endswith("t"))) == []


def test_a_package_without_modules(tmp_path, module):
    files = {MODULE: None, "cuda/cpu/entry/libcuda.so.1": None}
    assert only(found(tmp_path, contents(module, files=files)), "cuda/cpu/ has no compiled module")


def test_a_file_that_was_changed_afterwards(tmp_path, module):
    files = contents(module) | {"cuda/cpu/__init__.py": b"import os"}
    assert only(found(tmp_path, files), "RECORD has another digest or size of cuda/cpu/__init__.py")


def test_a_file_that_record_does_not_list(tmp_path, module):
    files = contents(module) | {"cuda/cpu/more.py": b""}
    assert only(found(tmp_path, files), "RECORD and the archive differ: .*more.py")


@pytest.mark.parametrize("platform", ["linux_x86_64", "manylinux_2_34_x86_64"])
def test_too_new_a_platform(tmp_path, module, platform):
    files = contents(module, files={f"{INFO}/WHEEL": f"Root-Is-Purelib: false\nTag: cp311-cp311-{platform}\n".encode()})
    name = f"cuda_cpu-0.1.0-cp311-cp311-{platform}.whl"
    assert only(found(tmp_path, files, name), f"the tag {platform} is not manylinux_2_28 or older")
    assert check.main(["--any-platform", str(tmp_path / name)]) == 0


@pytest.mark.parametrize(
    "name", ["cuda_cpu-0.1.0-py3-none-any.whl", "numpy-2.3.0-cp311-cp311-manylinux_2_28_x86_64.whl"]
)
def test_other_names(tmp_path, module, name):
    assert only(found(tmp_path, contents(module), name), "the name is not|is not a distribution of this project")


def test_the_command_reports_and_fails(tmp_path, module, capsys):
    found(tmp_path, contents(module, files={f"{INFO}/licenses/LICENSE": None}))
    assert check.main([str(tmp_path / NAME)]) == 1
    assert "1 problems\n  LICENSE is missing\n" in capsys.readouterr().out
    assert check.main([]) == 1


def test_headers_for_clang_and_packages_without_modules():
    files = {
        "cuda/core/_program/_clang/include/open_cuda/a.h": b"",
        "cuda/core/a.so": b"",
        "cuda/perf/__init__.py": b"",
    }
    assert list(check.content_problems(files, INFO, ("cuda/core/", "cuda/perf/"))) == []
    files = {"cuda/core/_program/a.h": b"", "cuda/core/a.so": b""}
    wrong = list(check.content_problems(files, INFO, ("cuda/core/",)))
    assert wrong == ["cuda/core/_program/a.h does not belong into a wheel"]
