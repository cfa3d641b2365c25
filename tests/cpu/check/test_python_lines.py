# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Reports show the lines of programs that are strings in Python, and which process they are about."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from xml.etree import ElementTree

import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")
pytest.importorskip("cuda.core", reason="cuda.core is not installed")

from cuda.core._program import _diagnostics
from cuda.cpu.python_lines import find_line

pytestmark = [pytest.mark.cpu_only, pytest.mark.needs_nvrtc]

HEAD = '''\
import multiprocessing

import numpy as np

from cuda.core import Device, DeviceMemoryResource, DeviceMemoryResourceOptions, LaunchConfig, Module, Program, launch

SOURCE = r"""
__device__ void put(float *x, int i, float value)
{
    x[i] = value;
}
extern "C" __global__ void shift(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    put(x, i * n, 1.0f);
}
"""


def start():
    device = Device()
    device.set_current()
    return device, device.create_stream()


def run(stream, kernel, buffer):
    launch(stream, LaunchConfig(grid=1, block=64), kernel, buffer, np.int32(32))
    stream.sync()
'''
LITERAL = """
device, stream = start()
buffer = device.allocate({bytes}, stream=stream)
run(stream, Program(SOURCE, "c++").compile("cubin").get_kernel("shift"), buffer)
"""
LINES = {text: number for number, text in enumerate(HEAD.splitlines(), 1)}


def tool(tmp_path, command, body, *options):
    """Run a program under a command of the CPU device, with an option for a JSON report."""
    script = tmp_path / "script.py"
    script.write_text(HEAD + body)
    arguments = [sys.executable, "-m", "cuda.cpu", command, *map(str, options), str(script), "7"]
    done = subprocess.run(
        arguments, capture_output=True, text=True, timeout=200, cwd=tmp_path,
        env=os.environ | {"CUDA_PYTHON_DRIVER": "cpu"},
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done.stderr


def checked(tmp_path, body):
    text = tool(tmp_path, "check", body, "--checks", "memcheck", "--json", "out.json", "--xml", "out.xml")
    return text, json.loads((tmp_path / "out.json").read_text())["findings"]


def test_findings_show_the_python_line_and_its_text(tmp_path):
    text, (found,) = checked(tmp_path, LITERAL.format(bytes=4096))
    script, store, call = str(tmp_path / "script.py"), LINES["    x[i] = value;"], LINES["    put(x, i * n, 1.0f);"]
    assert found["device_stack"] == [
        {"function": "put(float*, int, float)", "file": script, "line": store, "text": "x[i] = value;"},
        {"function": "shift", "file": script, "line": call, "text": "put(x, i * n, 1.0f);"},
    ]
    assert f"shift at {script}:{call}: put(x, i * n, 1.0f);\n" in text
    (record,) = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert (record.findtext("where/file"), record.findtext("where/line")) == (script, str(store))
    assert record.findtext("deviceStack/frame/text") == "x[i] = value;"


def test_profiles_show_the_python_line_and_its_text(tmp_path):
    body = LITERAL.format(bytes=65536)
    text = tool(tmp_path, "profile", body, "--json", "out.json", "--html", "out.html")
    data = json.loads((tmp_path / "out.json").read_text())
    sources = [each["source"] for each in data["launches"][0]["instructions"] if each["text"].startswith("st.global")]
    line = LINES["    x[i] = value;"]
    assert sources == [{"file": str(tmp_path / "script.py"), "line": line, "text": "x[i] = value;"}]
    (row,) = (row for row in text.splitlines() if row.startswith(f"  script.py:{line} "))
    assert row.endswith("x[i] = value;")
    assert f'script.py:{line}</td><td class="code">x[i] = value;' in (tmp_path / "out.html").read_text()


def test_programs_made_from_a_template_show_its_lines(tmp_path):
    body = """
device, stream = start()
buffer = device.allocate(65536, stream=stream)
for value in ("2.0f", "3.0f"):
    source = SOURCE.replace("1.0f", value).replace("float *x, int n", "float *x, const int n")
    run(stream, Program(source, "c++").compile("cubin").get_kernel("shift"), buffer)
"""
    text = tool(tmp_path, "profile", body)
    call = LINES["    put(x, i * n, 1.0f);"]
    rows = [row for row in text.splitlines() if row.startswith(f"  script.py:{call - 1} ")]
    assert len(rows) == 2
    assert all(row.endswith("int i = blockIdx.x * blockDim.x + threadIdx.x;") for row in rows)
    assert f"script.py:{LINES['    x[i] = value;']} " in text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 0),
        ('\n\nS = f"""\nvoid k()\n{{\n    a = {1};\n    b = 2;\n    c = 3;\n}}\n"""', 3),
        ('S = """void k()\n{\n    a = %d;\n    b = 2;\n    c = 3;\n}\n"""', 0),  # it begins behind the quotes
        ('S = """\nvoid k()\n{\n    b = 2;\n    a = 1;\n    other;\n}\n"""', 0),  # in another order
        ('S = """\nvoid k()\n{\n    a = 1;\n    b = 2;\n"""\n' * 2, 0),  # twice
    ],
)
def test_templates(text, line):
    source = "\nvoid k()\n{\n    a = 1;\n    b = 2;\n    c = 3;\n}\n"
    assert _diagnostics._line_of_template(source, text) == line


def test_programs_of_from_source_have_the_name_of_their_kernel(tmp_path):
    body = """
device, stream = start()
buffer = device.allocate(65536, stream=stream)
text = open("source.txt").read()
run(stream, Module.from_source(text).shift, buffer)
run(stream, Module.from_source(text.replace("1.0f", "3.0f")).shift, buffer)
"""
    (tmp_path / "source.txt").write_text(HEAD.split('"""')[1].replace(" = ", " =  ").replace("(float", "( float"))
    text = tool(tmp_path, "profile", body)
    assert "default_program" not in text
    (row,) = {row for row in text.splitlines() if row.strip().startswith("shift.cu:4 ")}  # equal in both programs
    assert row.endswith("x[i] =  value;")


def test_lines_of_unknown_files_stay(tmp_path):
    assert find_line("/src/kernel.cu", 4, "k") == ("/src/kernel.cu", 4, "")


def test_reports_name_the_process(tmp_path):
    body = """
def work():
    device, stream = start()
    buffer = device.allocate(4096, stream=stream)
    run(stream, Program(SOURCE, "c++").compile("cubin").get_kernel("shift"), buffer)
if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    child = multiprocessing.Process(target=work, name="worker 3")
    child.start()
    child.join()
"""
    text, (found,) = checked(tmp_path, body)
    command = f"worker 3 of {tmp_path / 'script.py'} 7"
    assert found["process_name"] == command
    assert f"in process       {found['process']}: {command}\n" in text
    assert ElementTree.parse(tmp_path / "out.xml").getroot().findtext("record/processName") == command
    assert [frame["function"] for frame in found["launch_stack"]] == ["run", "work"]  # not multiprocessing's
    body = body.replace("4096", "65536")
    text = tool(tmp_path, "profile", body, "--json", "profile.json", "--html", "profile.html")
    (path,) = tmp_path.glob("profile.*.json")
    process = json.loads(path.read_text())["process"]
    assert process == {"number": process["number"], "name": command, "first": False}
    assert f"process {process['number']}: {command}\nshift<<<" in text
    assert f"<p>process {process['number']}: {command}</p>" in path.with_suffix(".html").read_text()
    text = tool(tmp_path, "timeline", body, "-o", "trace.json")
    (path,) = tmp_path.glob("trace.*.json")
    names = [
        each["args"]["name"] for each in json.loads(path.read_text())["traceEvents"] if each["name"] == "process_name"
    ]
    assert names == [command]
    assert f": {command}\nstreams " in text


def test_memory_of_another_process_has_the_stack_of_its_allocation(tmp_path):
    body = """
def allocated(resource, stream):
    return resource.allocate(4096, stream=stream)
def work(first, queue):
    device, stream = start()
    second = queue.get()
    kernel = Program(SOURCE, "c++").compile("cubin").get_kernel("shift")
    run(stream, kernel, first)
    run(stream, kernel, second)
if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    device, stream = start()
    resource = DeviceMemoryResource(device, DeviceMemoryResourceOptions(ipc_enabled=True, max_size=1 << 20))
    first, second = (allocated(resource, stream) for _ in range(2))
    queue = multiprocessing.Queue()
    queue.put(second)
    child = multiprocessing.Process(target=work, args=(first, queue))
    child.start()
    child.join()
"""
    text, found = checked(tmp_path, body)
    assert len(found) == 2, text
    for each, more in zip(found, ([], ["work"]), strict=True):
        functions = [frame["function"] for frame in each["allocation_stack"]]
        assert functions[0].startswith("allocated in process ")
        assert functions[0].endswith(f", {tmp_path / 'script.py'} 7")
        assert functions[1].startswith("<genexpr> in process ")
        assert functions[3:] == more
