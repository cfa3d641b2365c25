# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import pytest

from cuda.perf import State, axis, benchmark, load
from cuda.perf.errors import CommandError

HEAD = "from cuda.perf import axis, benchmark\n"


def define(**options):
    @benchmark(owner="team", **options)
    @axis.power_of_two("n", 3, 4)
    @axis.type("dtype", "float32", "float16")
    @axis.variant("how", "plain")
    def example(state, dtype):
        state.seen = dtype
        state.exec(lambda launch: None)

    return example.__benchmark__


def test_points_are_all_combinations():
    found = define()
    assert [each.name for each in found.definition.axes] == ["n", "dtype", "how"]
    assert list(load.select([found])) == [
        "example[n=8,dtype=float32,how=plain]", "example[n=8,dtype=float16,how=plain]",
        "example[n=16,dtype=float32,how=plain]", "example[n=16,dtype=float16,how=plain]",
    ]  # fmt: skip


def test_parameters_get_the_values_of_their_axes():
    found = define()
    state = State("example", {"n": 8, "dtype": "float16", "how": "plain"}, None, None)
    found.prepare(state)
    assert state.seen == "float16"
    assert (state["n"], state.get_int64("n"), state.get_string("how")) == (8, 8, "plain")
    with pytest.raises(KeyError, match="no axis 'm'; there are n, dtype, how"):
        state["m"]


def test_work_adds_up():
    state = State("example", {}, None, None)
    state.add_global_memory_reads(4)
    state.add_global_memory_reads(8)
    state.add_global_memory_writes(2)
    state.add_flops(3)
    state.add_element_count(1)
    assert vars(state.work) == {"bytes_read": 12, "bytes_written": 2, "flops": 3, "elements": 1, "precision": "f32"}


@pytest.mark.parametrize(("precision", "message"), [("f4", "one of f64, f32.* not 'f4'"), ("f64", "earlier.* 'f16'")])
def test_a_wrong_precision_is_named(precision, message):
    state = State("example", {}, None, None)
    state.add_flops(1, "f16")
    with pytest.raises(ValueError, match=message):
        state.add_flops(1, precision)
    assert (state.work.flops, state.work.precision) == (1, "f16")


def twice(state):
    state.exec(print)
    state.exec(print)


@pytest.mark.parametrize(("function", "message"), [(lambda state: None, "does not call"), (twice, "twice")])
def test_exec_is_called_once(function, message):
    found = benchmark(name="a")(function).__benchmark__
    with pytest.raises(ValueError, match=message):
        found.prepare(State("a", {}, None, None))


def test_wrong_definitions_are_refused():
    with pytest.raises(TypeError, match="'m' of benchmark f is not the name of an axis"):

        @benchmark
        def f(state, m): ...

    with pytest.raises(TypeError, match="needs a parameter for the state"):
        benchmark(lambda: None)
    for make, error, message in [
        (lambda: axis.size("n"), ValueError, "no values"),
        (lambda: axis.size("n", 1, 1), ValueError, "twice"),
        (lambda: axis.size("n", True), TypeError, "must be int or float"),
        (lambda: axis.type("t", 1), TypeError, "must be str"),
        (lambda: axis.variant("v", "a,b"), ValueError, "one of the characters"),
    ]:
        with pytest.raises(error, match=message):
            make()
    with pytest.raises(ValueError, match="two axes 'n'"):
        axis.size("n", 1)(axis.size("n", 2)(lambda state: None))


@pytest.mark.parametrize(
    ("filters", "expected"),
    [([], True), (["gemm"], True), (["n=8,"], True), (["gem*f32]"], True), (["a", "m=1"], False), (["g.mm"], False)],
)
def test_filters(filters, expected):
    assert load.matches("gemm[n=8,type=f32]", filters) == expected


def test_files_and_modules_are_loaded(tmp_path, monkeypatch):
    (tmp_path / "defines.py").write_text(HEAD + "@benchmark\ndef one(state): ...\n")
    (tmp_path / "imports.py").write_text(HEAD + "from defines import one\n@benchmark\ndef two(state): ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    names = [each.definition.name for each in load.load([str(tmp_path / "imports.py"), "defines"])]
    assert names == ["two", "one"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["nothing.py"], "nothing.py is not a file"),
        (["nothing"], "nothing is neither a file, nor a module"),
        (["empty.py"], "empty.py has no benchmarks"),
        (["a.py", "b.py"], "two benchmarks have the name 'one': .*a.py:2, .*b.py:2"),
    ],
)
def test_files_without_benchmarks_are_named(tmp_path, monkeypatch, names, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.py").write_text("")
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(HEAD + "@benchmark\ndef one(state): ...\n")
    with pytest.raises(CommandError, match=message):
        load.load(names)
