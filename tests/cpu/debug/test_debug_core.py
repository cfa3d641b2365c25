# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Core dumps of failed kernels: written on request, opened in gdb, refused if they are none."""

import os
import re
import subprocess
import sys

import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from cuda.cpu import __main__ as command

pytestmark = [pytest.mark.cpu_only, pytest.mark.needs_nvrtc]

PROGRAM = '''
import numpy as np
from cuda.core import Device, LaunchConfig, Program, launch

SOURCE = r"""
struct Node { int value; Node *next; };

__device__ int second(const Node *node)
{
    return node->next->value;
}

extern "C" __global__ void walk(Node *nodes, int *out, int n)
{
    int i = threadIdx.x;
    if (i < n - 1)
        nodes[i].next = &nodes[i + 1];
    nodes[i].value = 10 * i;
    __syncthreads();
    assert(n > 1);
    if (i < n)
        out[i] = second(&nodes[i]);
}
"""
device = Device()
device.set_current()
stream = device.create_stream()
kernel = Program(SOURCE, "c++").compile("cubin").get_kernel("walk")
nodes = device.allocate(1024, stream=stream)
nodes.fill(0, stream=stream)
launch(stream, LaunchConfig(grid=1, block=40), kernel, nodes, nodes, np.int32(COUNT))
stream.sync()
'''


def dump(folder, count):
    """Run the program until it fails; return the name of the core dump, and what the program printed."""
    script = folder / "program.py"
    script.write_text(PROGRAM.replace("COUNT", str(count)))
    variables = {"CUDA_ENABLE_COREDUMP_ON_EXCEPTION": "1", "CUDA_COREDUMP_FILE": str(folder / "core.%p")}
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=300, env=os.environ | variables
    )
    (core,) = folder.glob("core.*")
    assert f"python -m cuda.cpu debug --core {core}" in done.stderr
    assert core.stat().st_mode & 0o777 == 0o600
    return core, done.stderr


def opened(core, *commands):
    words = [word for each in commands for word in ("-ex", each)]
    done = subprocess.run(
        [sys.executable, "-m", "cuda.cpu", "debug", "--batch", "--core", str(core), *words],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
    )  # fmt: skip
    return done.stdout


def test_illegal_address(gdb, tmp_path):
    core, text = dump(tmp_path, 40)
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in text
    before = core.read_bytes()
    out = opened(
        core,
        "cuda backtrace", "cuda print node->next == 0", "cuda lane 3", "print node->value", "up", "print i", "print n",
        "print *nodes[i].next",
    )  # fmt: skip
    assert re.search(
        r"^kernel 'walk', block \(0, 0, 0\), warp 1, second \(.*program.py line 10\): illegal .* at 0x0",
        out,
        re.MULTILINE,
    )
    assert re.search(r"#\d .*second \(node=.*\) at .*program.py:10\n#\d .*walk .*n=40\) at .*program.py:22\n", out)
    assert re.search(r"^lanes 0-6 +false\nlane 7 +true$", out, re.MULTILINE)
    values = re.findall(r"^\$\d+ = (.*)$", out, re.MULTILINE)
    assert values[:3] == ["350", "35", "40"]
    assert values[3].startswith("{value = 360, next = 0x")
    assert core.read_bytes() == before


def test_assertion(gdb, tmp_path):
    """The fault is in a function of the runtime that the kernel calls."""
    core, text = dump(tmp_path, 1)
    assert "CUDA_ERROR_ASSERT" in text
    out = opened(core, "cuda backtrace", "print n", "cuda lane 5", "print i % 32")
    assert re.search(r"walk .*n=1\) at .*program.py:20\n", out)
    assert re.findall(r"^\$\d+ = (.*)$", out, re.MULTILINE) == ["1", "5"]


def test_other_files_are_refused(gdb, tmp_path, capsys):
    path = tmp_path / "core"
    for data, said in ((b"", "no ELF file"), (b"\x7fELF" + bytes(200), "no notes")):
        path.write_bytes(data)
        assert command.main(["debug", "--core", str(path)]) == 2
        assert said in capsys.readouterr().err
    assert command.main(["debug", "--core", str(tmp_path / "missing")]) == 2
    assert command.main(["debug"]) == 2
    assert "give a program" in capsys.readouterr().err
