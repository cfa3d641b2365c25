# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The small compiler of the examples: random expressions against NumPy, both targets, the cache, tuning, faults."""

import importlib.util
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuda.core import Device
from cuda.core.utils import FileStreamProgramCache

FILE = pathlib.Path(__file__).parents[2] / "examples/small_compiler.py"
spec = importlib.util.spec_from_file_location("small_compiler", FILE)
compiler = importlib.util.module_from_spec(spec)
sys.modules["small_compiler"] = compiler  # dataclasses look their module up
spec.loader.exec_module(compiler)
pytestmark = [pytest.mark.needs_nvjitlink, pytest.mark.needs_nvvm]
TARGETS = pytest.mark.parametrize("target", compiler.TARGETS)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    with FileStreamProgramCache(tmp_path_factory.mktemp("cache")) as cache:
        yield cache


@pytest.fixture(scope="module")
def stream():
    device = Device()
    device.set_current()
    return device.create_stream()


def arrays(stream, size, count=2):
    hosts = np.random.default_rng(size).random((count, size), np.float32) + np.float32(0.5)
    return hosts, [Device().to_device(each, stream=stream) for each in hosts]


@st.composite
def expressions(draw, depth=3):
    """Return an expression of x, y and s as Python text."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from(["x", "y", "s", "0.75", "3"]))
    one, other = draw(expressions(depth=depth - 1)), draw(expressions(depth=depth - 1))
    form = draw(st.sampled_from(["({} + {})", "({} - {})", "({} * {})", "({} / ({} + 9.5))", "absolute({} - {})"]))
    return form.format(one, other)


@TARGETS
@settings(max_examples=15, deadline=None, derandomize=True)
@given(text=expressions(), size=st.sampled_from([1, 6, 64, 1001]))
def test_expressions_equal_numpys(target, text, size, cache, stream):
    text = f"x * 1 + y * 0 + ({text})"  # an expression of arrays
    scope = {"absolute": abs}
    exec(f"def function(x, y, s): return {text}", scope)
    hosts, devices = arrays(stream, size)
    found = compiler.Compiled(scope["function"], cache, target=target)(*devices, 1.25, stream=stream)
    scope["absolute"] = np.abs
    with np.errstate(all="ignore"):
        expected = scope["function"](hosts[0], hosts[1], np.float32(1.25))
    np.testing.assert_allclose(found.to_host(stream=stream), expected, rtol=1e-5, atol=1e-5)


@TARGETS
@pytest.mark.parametrize("size", [1, 30, 4096, 70001])
def test_totals(target, size, cache, stream):
    (x, y), devices = arrays(stream, size)
    function = compiler.Compiled(compiler.squared_error, cache, total=True, target=target)
    (found,) = function(*devices, stream=stream).to_host(stream=stream)
    assert found == pytest.approx(((x - y) ** 2).sum(dtype=float), rel=1e-4)


@TARGETS
def test_a_gather_reads_other_elements(target, cache, stream):
    index = np.random.default_rng(1).permutation(1000).astype(np.float32)
    devices = [Device().to_device(each, stream=stream) for each in (np.arange(1000, dtype=np.float32) * 2, index)]
    found = compiler.Compiled(compiler.look_up, cache, target=target)(*devices, stream=stream)
    np.testing.assert_array_equal(found.to_host(stream=stream), 2 * index + 1)


def test_specialised_by_alignment_size_and_constants(cache, stream):
    def scaled(x, factor):
        return x * factor

    function = compiler.Compiled(scaled, cache, constants=(1,))
    whole = Device().to_device(np.arange(65, dtype=np.float32), stream=stream)
    for part, width in ((whole[:64], 4), (whole[1:65], 1), (whole[2:64], 2), (whole, 1)):
        assert function.kernel((part, 3.0))[1] == width
        expected = part.to_host(stream=stream) * 3
        np.testing.assert_array_equal(function(part, 3.0, stream=stream).to_host(stream=stream), expected)
    assert "0f40400000" in function.source((whole, 3.0), 1)
    assert len(function.kernels) == 3
    function(whole, 4.0, stream=stream)
    assert len(function.kernels) == 4


def test_a_second_process_compiles_nothing(tmp_path, stream, monkeypatch):
    _, devices = arrays(stream, 512)
    with FileStreamProgramCache(tmp_path) as cache:
        for target in compiler.TARGETS:
            compiler.Compiled(compiler.squared_error, cache, target=target)(*devices, stream=stream)
        monkeypatch.setattr(compiler.Program, "_compile", None)  # a call would fail
        for target in compiler.TARGETS:
            compiler.Compiled(compiler.squared_error, cache, target=target)(*devices, stream=stream)


def test_the_tuners_choice_is_stored(tmp_path, stream, monkeypatch):
    _, devices = arrays(stream, 4096)
    with FileStreamProgramCache(tmp_path) as cache:
        times = iter([9, 3, 7, 2, 5, 8])
        monkeypatch.setattr(compiler, "milliseconds", lambda graph, stream: next(times))
        best, found = compiler.Compiled(compiler.squared_error, cache).tune(*devices, stream=stream)
        assert (best, len(found)) == ((128, 4), 6)
        chosen = []
        again = compiler.Compiled(compiler.squared_error, cache)
        monkeypatch.setattr(again, "config", lambda *given: chosen.append(given) or compiler.LaunchConfig(1, block=32))
        again(*devices, stream=stream)
        assert chosen == [(1024, 128, 4)]


@pytest.mark.cpu_only
def test_a_fault_names_the_line_of_the_expression(tmp_path):
    script = (
        "import numpy as np, runpy, sys\n"
        f"sys.path.insert(0, {str(FILE.parent)!r})\n"
        "import small_compiler as c\n"
        "from cuda.core import Device\n"
        "device = Device(); device.set_current(); stream = device.create_stream()\n"
        "x = device.to_device(np.full(8, 1e9, np.float32), stream=stream)\n"
        "with c.FileStreamProgramCache(sys.argv[1]) as cache:\n"
        "    c.Compiled(c.look_up, cache)(x, x, stream=stream)\n"
        "    stream.sync()\n"
    )
    done = subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, text=True, timeout=100)
    line = FILE.read_text().splitlines().index("        table[index]  # the line that a fault names") + 1
    assert re.search(rf"CUDA_ERROR_ILLEGAL_ADDRESS.*small_compiler\.py line {line}\b", done.stderr, re.DOTALL), (
        done.stderr
    )


@pytest.mark.parametrize(
    ("function", "arguments", "error", "message"),
    [
        (lambda x: x, lambda a, b: (a, b), TypeError, "takes 1 arguments, not 2"),
        (lambda x: 3, lambda a, b: (a,), TypeError, "must return an expression of its arguments, not 3"),
        (lambda x: x + "1", lambda a, b: (a,), TypeError, "an operand of add must be .*, not '1'"),
        (lambda x: x[0][1], lambda a, b: (a,), TypeError, "only an array argument has elements"),
        (
            lambda x, y: x,
            lambda a, b: (a, b[:5]),
            ValueError,
            r"argument 1 .* shape \(10,\), not float32 of shape \(5,\)",
        ),
        (lambda x, y: x, lambda a, b: (a, "b"), TypeError, "argument 1 .* DeviceArray or a number, not str"),
        (lambda x: x, lambda a, b: (1.0,), TypeError, "at least one argument must be an array"),
        (lambda x: x, lambda a, b: (a[::2],), ValueError, "contiguous float32"),
    ],
)
def test_wrong_arguments(function, arguments, error, message, cache, stream):
    _, devices = arrays(stream, 10)
    with pytest.raises(error, match=message):
        compiler.Compiled(function, cache)(*arguments(*devices), stream=stream)
    with pytest.raises(ValueError, match="target must be one of 'ptx', 'nvvm', not 'sass'"):
        compiler.Compiled(function, cache, target="sass")
