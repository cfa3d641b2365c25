# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The tables that notebooks show for objects: well-formed HTML in which all text is escaped."""

import xml.etree.ElementTree

import numpy as np
import pytest

from cuda.core import Device, DeviceArray, LegacyPinnedMemoryResource, ManagedMemoryResource, Module, Program
from cuda.core import ProgramOptions as Options
from cuda.core._utils._html import size, table

SOURCE = """extern "C" __global__ void one(int *p, double d) { *p = d; }
extern "C" __global__ void two() { }"""


def cells(thing):
    """Return the caption and the rows of an object's table, read as XML: no tag is left open, no text unescaped."""
    root = xml.etree.ElementTree.fromstring(thing._repr_html_())
    assert {element.tag for element in root.iter()} <= {"table", "caption", "tbody", "tr", "th", "td"}
    assert not any(element.attrib for element in root.iter())
    return root.findtext("caption"), {row.findtext("th"): row.findtext("td") for row in root.iter("tr")}


def test_text_is_escaped():
    made = table("<script>", {"a&b": "<img src=x onerror='alert(1)'>"})
    assert made == (
        "<table><caption>&lt;script&gt;</caption><tbody><tr><th>a&amp;b</th>"
        "<td>&lt;img src=x onerror=&#x27;alert(1)&#x27;&gt;</td></tr></tbody></table>"
    )


def test_long_tables_are_cut():
    assert table("t", {str(each): each for each in range(30)}).count("<tr>") == 25
    assert "and 6 more" in table("t", {str(each): each for each in range(30)})


@pytest.mark.parametrize(
    ("nbytes", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1536, "1.5 KiB"), (3 << 20, "3 MiB"), (1 << 34, "16 GiB")],
)
def test_sizes(nbytes, text):
    assert size(nbytes) == text


def test_device(device):
    caption, rows = cells(device)
    assert caption == "Device 0"
    assert rows["name"] == device.name
    assert rows["warp size"] == "32"
    assert cells(Device(0))[1] == rows


def test_buffers(device, stream):
    buffer = device.allocate(2048, stream=stream)
    assert cells(buffer) == ("Buffer", {"size": "2 KiB", "address": hex(buffer.handle), "memory": "device 0"})
    buffer.close()
    assert cells(buffer) == ("Buffer", {"state": "closed"})
    with LegacyPinnedMemoryResource().allocate(8, stream=stream) as pinned:
        assert cells(pinned)[1]["memory"] == "pinned host"
    with ManagedMemoryResource().allocate(8, stream=stream) as managed:
        assert cells(managed)[1]["memory"] == "managed"


def test_arrays(device):
    array = device.empty((3, 4), np.float32)
    caption, rows = cells(array)
    assert caption == "DeviceArray"
    assert rows == {
        "shape": "(3, 4)", "dtype": "float32", "size": "48 bytes", "address": hex(array.ptr), "memory": "device 0",
    }  # fmt: skip
    assert cells(array[:, ::2])[1]["strides"] == "(16, 8) bytes"
    array.close()
    assert cells(array)[1]["state"] == "closed"
    named = DeviceArray.from_buffer(device.empty(8, np.int8).buffer, 1, [("<b>", "f4")])
    assert "<b>" in cells(named)[1]["dtype"]


@pytest.mark.needs_nvrtc
def test_programs_and_kernels(device):
    program = Program(SOURCE, "c++", Options(name="<i>.cu", arch=f"sm_{device.arch}"))
    caption, rows = cells(program)
    assert caption == "Program <i>.cu"
    assert (rows["code"], rows["lines"], rows["arch"], rows["state"]) == ("c++", "2", f"sm_{device.arch}", "open")
    code = program.compile("ptx")
    assert cells(code)[1] | {"size": ""} == {"type": "ptx", "size": "", "kernel 1": "one", "kernel 2": "two"}
    kernel = code.get_kernel("one")
    assert cells(kernel) == ("kernel 'one'", {"parameters": "2", "parameter 1": "8 bytes", "parameter 2": "8 bytes"})
    module = Module(code)
    assert cells(module) == ("Module", {"kernel 1": "one", "kernel 2": "two"})
    module.close()
    program.close()
    assert cells(module) == ("Module", {"state": "closed"})
    assert cells(program)[1]["state"] == "closed"
