# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Every function of the Python level against a library that records its arguments and fills its outputs."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
from support.echo import compile_c

from codegen import apis, roles, write_echo

HERE = pathlib.Path(__file__).parent
LIBRARIES = roles.libraries()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the echo libraries, and one that has no function at all."""
    folder = tmp_path_factory.mktemp("echo")
    for name, library in LIBRARIES.items():
        compile_c(write_echo.render(library), folder / f"{name}.so")
    compile_c("int open_cuda_empty;", folder / "empty.so")
    return folder


@pytest.fixture(scope="module")
def problems(folder):
    """What did not come through, by function."""
    command = [sys.executable, str(HERE / "echo_caller.py"), str(folder)]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=120).stdout)


@pytest.mark.parametrize("name", LIBRARIES)
def test_every_function(problems, name):
    called = {function: found for function, found in problems.items() if function.startswith(f"{name}.")}
    assert called.keys() == {f"{name}.{function}" for function in LIBRARIES[name].functions}
    assert {function: found for function, found in called.items() if found} == {}


def test_mismatch_is_noticed(folder, tmp_path):
    """A library that swaps two arguments of one function must be found out."""
    source = (folder / "driver.c").read_text()
    swapped = source.replace("ARG(hEvent);\n    ARG(hStream);", "ARG(hStream);\n    ARG(hEvent);", 1)
    assert swapped != source
    for path in folder.glob("*.so"):
        if path.name != "driver.so":
            (tmp_path / path.name).symlink_to(path)
    compile_c(swapped, tmp_path / "driver.so")
    command = [sys.executable, str(HERE / "echo_caller.py"), str(tmp_path)]
    found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=120).stdout)
    assert [function for function, problem in found.items() if problem] == ["driver.cuEventRecord"]


KEEPING = """
import sys
from cuda.bindings import driver
log = bytearray(8)
before = sys.getrefcount(log)
_, state = driver.cuLinkCreate(1, [driver.CUjit_option.CU_JIT_INFO_LOG_BUFFER], [log])
print(sys.getrefcount(log) > before, end=" ")
driver.cuLinkDestroy(state)
print(sys.getrefcount(log) == before)
"""


def test_linker_keeps_its_options_alive(folder):
    """The linker writes to the options' values until it is destroyed."""
    environment = dict(os.environ, CUDA_PYTHON_DRIVER=str(folder / "driver.so"))
    done = subprocess.run([sys.executable, "-c", KEEPING], stdout=subprocess.PIPE, env=environment, check=True)
    assert done.stdout.split() == [b"True", b"True"]


@pytest.mark.parametrize(
    ("name", "headers"), [("driver", ("cuda.h", "cudaEGL.h")), ("runtime", ("cuda_runtime_api.h",))]
)
def test_layouts_of_the_real_headers(tmp_path, name, headers):
    """Sizes and offsets of the model are those that the C compiler gives NVIDIA's structs."""
    library = LIBRARIES[name]
    named = [struct for struct in library.structs.values() if struct.size and not struct.name.startswith("anon_")]
    if name == "runtime":  # the header of its EGL structs is C++
        named = [struct for struct in named if struct.header != "cuda_egl_interop.h"]
    checks = [write_echo.layout(library, struct) for struct in named]
    source = "".join(f"#include <{header}>\n" for header in ("stddef.h", *headers))
    source += "#define CHECK(what) _Static_assert(what, #what)\n" + "\n".join(checks)
    # Only the EGL headers of the generator's own: the C compiler brings the standard ones.
    (tmp_path / "EGL").symlink_to(apis.HERE / "include" / "EGL")
    folders = [f"-I{folder}" for folder in (tmp_path, *apis.include_path())]
    compile_c(source, tmp_path / "layouts.so", *folders)
    assert len(named) > 60
