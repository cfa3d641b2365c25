# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The cell magic %%cuda, in an IPython shell of its own."""

import re

import numpy as np
import pytest
from support.scripts import run_checked

pytest.importorskip("IPython", reason="IPython is not installed")
pytestmark = pytest.mark.needs_nvrtc


@pytest.fixture(scope="module")
def shell():
    from IPython.core.interactiveshell import InteractiveShell

    made = InteractiveShell()
    made.colors = "nocolor"
    made.run_line_magic("load_ext", "cuda.core.ipython")
    yield made
    made.run_line_magic("unload_ext", "cuda.core.ipython")
    assert "cuda" not in made.magics_manager.magics["cell"]
    assert made.custom_exceptions == ()


@pytest.fixture
def run(shell, device):
    def run_cell(text):
        return shell.run_cell(text)

    return run_cell


def failing(run, text, capsys):
    """Return what a failing cell shows."""
    assert not run(text).success
    shown = capsys.readouterr()
    return shown.out + shown.err


def test_kernels_are_variables(run, shell, device, stream):
    from cuda.core import LaunchConfig, launch

    assert run(
        '%%cuda\nextern "C" __global__ void fill(int *p, int v) { p[threadIdx.x] = v; }\n'
        "__global__ void mangled(int *p) { p[threadIdx.x] += 1; }\n__device__ int helper() { return 1; }"
    ).success
    assert "helper" not in shell.user_ns
    array = device.zeros(4, np.int32)
    config = LaunchConfig(grid=1, block=4)
    launch(stream, config, shell.user_ns["fill"], array, 6)
    launch(stream, config, shell.user_ns["mangled"], array)
    assert array.to_host(stream=stream).tolist() == [7] * 4


def test_options(run, shell, tmp_path):
    (tmp_path / "mine.h").write_text("#define MINE 1\n")
    assert run(
        f"%%cuda --arch compute_80 --std c++20 -I {tmp_path} --include mine.h -D TWO=2 -D THREE --name code\n"
        "#if MINE != 1 || TWO != 2 || !defined THREE || __cplusplus < 202002L\n#error options\n"
        "#endif\n__global__ void with_options() { }"
    ).success
    assert shell.user_ns["code"].kernel_names == ["_Z12with_optionsv"]
    assert ".target sm_80" in shell.user_ns["code"].code.code.decode()


def test_templates(run, shell):
    source = "template <typename T> __global__ void twice(T *p) { *p *= 2; }"
    assert run(f"%%cuda -e twice<int>\n{source}").success
    assert "twice<int>" in repr(shell.user_ns.pop("twice"))
    assert run(f"%%cuda -e twice<int> -e twice<float> -n both\n{source}").success
    assert "twice" not in shell.user_ns  # two instances: by the module
    assert "twice<float>" in repr(shell.user_ns["both"].get_kernel("twice<float>"))


def test_compile_errors_have_the_lines_of_the_cell(run, capsys):
    shown = failing(run, "%%cuda\n\n__global__ void wrong(int *p)\n{\n    *p = q;\n}", capsys)
    assert re.search(r"^In\[\d+\]\(5\): error: .*identifier ['\"]q['\"]", shown, re.MULTILINE)
    assert "5 |     *p = q;" in shown
    assert "Traceback" not in shown
    assert ".py" not in shown


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--arch sm_1", "arch is 'sm_1'"),
        ("--std c++1", "std"),
        ("--nonsense", "unrecognized arguments: --nonsense"),
        ("--name 3x", "--name must be the name of a variable, not '3x'"),
        ("-e f<int>", "f"),
        ("-I", "expected one argument"),
    ],
)
def test_wrong_options(run, capsys, line, message):
    shown = failing(run, f"%%cuda {line}\n__global__ void k() {{ }}", capsys)
    assert message in shown
    assert "Traceback" not in shown


def test_attributes_get_a_suggestion(run, capsys):
    cell = "from cuda.core import Device\nDevice(0).to_devcie([1])"
    assert "has no attribute 'to_devcie'. Did you mean: 'to_device'?" in failing(run, cell, capsys)
    assert "Did you mean" not in failing(run, "[].apend", capsys)


def test_importing_cuda_core_does_not_import_ipython():
    text = "import sys, cuda.core; cuda.core.Device; print('IPython' in sys.modules)"
    assert run_checked(text).strip() == "False"


def test_without_ipython():
    text = """
        import sys
        sys.modules["IPython"] = None
        try:
            import cuda.core.ipython
        except ImportError as error:
            print(error)
    """
    assert run_checked(text).startswith("cuda.core.ipython needs IPython (pip install ipython)")
