# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import io

import pytest

from cuda.bindings import _loader
from cuda.core import Program, ProgramOptions
from cuda.core.utils import FileStreamProgramCache, InMemoryProgramCache, make_program_cache_key

pytestmark = pytest.mark.needs_nvrtc

SOURCE = "template <typename T> __global__ void scale(T *x, T factor) { x[threadIdx.x] *= factor; }"
PTX = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 k_param_0) { ret; }\n"
SM90 = ProgramOptions(arch="sm_90")


def key(**changes):
    given = {"code": SOURCE, "code_type": "c++", "options": SM90, "target_type": "ptx", **changes}
    return make_program_cache_key(**given)


def test_every_input_changes_the_key():
    keys = [
        key(),
        key(code=SOURCE + " "),
        key(code=PTX, code_type="ptx"),
        key(code=PTX, code_type="ptx", target_type="cubin"),
        key(options=ProgramOptions(arch="sm_80")),
        key(options=ProgramOptions(arch="sm_90", name="other")),
        key(options=ProgramOptions(arch="sm_90", define_macro=("N", "1"))),
        key(target_type="cubin"),
        key(target_type="ltoir"),
        key(name_expressions=["scale<int>"]),
        key(name_expressions=["scale<int>", "scale<float>"]),
        key(extra_digest=b""),
        key(extra_digest=b"1"),
    ]
    assert len(set(keys)) == len(keys)
    assert {(type(made), len(made)) for made in keys} == {(bytes, 32)}
    assert key(code=SOURCE.encode(), name_expressions=[b"scale<int>"]) == key(name_expressions=("scale<int>",))


@pytest.mark.of_nvrtc
def test_keys_depend_on_the_compiler_build(tmp_path, monkeypatch):
    """The version alone does not distinguish patch releases."""
    given = [{}, {"code": PTX, "code_type": "ptx", "target_type": "cubin"}]
    before = [key(**each) for each in given]
    assert before == [key(**each) for each in given]
    library = tmp_path / "library.so"
    monkeypatch.setattr(_loader, "library_path", lambda api: str(library))
    builds = []
    for content in (b"1" * 300_000, b"1" * 299_999 + b"2", b"2" + b"1" * 299_999, b"1" * 300_001):
        library.write_bytes(content)
        builds.append(tuple(key(**each) for each in given))
    assert len({*builds, tuple(before)}) == 5


@pytest.mark.parametrize(
    ("code", "options"),
    [
        ('#include "a.h"', {}),
        (" # /* x */ include <a.h>", {}),
        ("#inc\\\nlude <a.h>", {"use_bundled_headers": True}),
        ("", {"include_path": "/tmp"}),
        ("", {"pre_include": ["a.h"]}),
        ("", {"pch": True}),
    ],
)
def test_included_files_need_a_digest(code, options):
    options = ProgramOptions(arch="sm_90", **options)
    with pytest.raises(ValueError, match=r"the program reads files, .* extra_digest"):
        key(code=code, options=options)
    with Program(code, "c++", options) as program, pytest.raises(ValueError, match="reads files"):
        program.compile("ptx", cache=InMemoryProgramCache())


def test_wrong_arguments():
    with pytest.raises(ValueError, match=r"^create_pch: compile without a cache, for"):
        key(options=ProgramOptions(arch="sm_90", create_pch="a.pch"), extra_digest=b"1")
    with pytest.raises(TypeError, match=r"^extra_digest must be bytes or None, not str$"):
        key(extra_digest="1")
    with pytest.raises(ValueError, match=r"^target_type must be one of"):
        key(target_type="exe")
    with pytest.raises(TypeError, match=r"^cache must be a ProgramCacheResource, not dict$"):
        Program(SOURCE, "c++", SM90).compile("ptx", cache={})


@pytest.mark.parametrize(("target", "names", "entries"), [("ptx", (), 1), ("cubin", ["scale<int>"], 2)])
def test_compile_uses_the_cache(tmp_path, monkeypatch, target, names, entries):
    cache = FileStreamProgramCache(tmp_path)
    with Program(SOURCE, "c++", SM90) as program:
        first = program.compile(target, names, cache=cache)
    assert len(cache) == entries
    assert cache[key(target_type=target, name_expressions=names)] == first.code
    monkeypatch.setattr(Program, "_compile", lambda *arguments: pytest.fail("compiled again"))
    with Program(SOURCE, "c++", SM90) as program:
        again = program.compile(target, names, cache=cache)
    assert (again.code, again.symbol_mapping) == (first.code, first.symbol_mapping)
    assert (again.name, again.symbol_mapping) == (first.name, first.symbol_mapping)
    assert again._signatures() == first._signatures()


class Recorded(InMemoryProgramCache):
    """A user-defined cache that records the keys that it is asked for."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def get(self, key, default=None):
        self.asked.append(key)
        return super().get(key, default)


def test_remembered_keys_stay_valid():
    """A Program remembers keys together with everything that they depend on and that may change between calls."""
    cache = Recorded()
    macros = ["A"]
    with Program(PTX, "ptx") as program:
        for target in ("ptx", "ptx", "cubin", "cubin"):
            program.compile(target, cache=cache)
        with pytest.raises(ValueError, match=r"name_expressions are for C\+\+ programs"):
            program.compile("ptx", ["k"], cache=cache)
    assert cache.asked[0] == cache.asked[1] == key(code=PTX, code_type="ptx", options=ProgramOptions())
    cubin = key(code=PTX, code_type="ptx", options=ProgramOptions(), target_type="cubin")
    assert cache.asked[2] == cubin
    assert cache.asked.count(cubin) == 2
    cache.asked.clear()
    with Program("", "c++", ProgramOptions(arch="sm_90", define_macro=macros)) as program:
        program.compile("ptx", cache=cache)
        macros.append("B")
        program.compile("ptx", cache=cache)
    assert len(set(cache.asked)) == 2
    cache.asked.clear()
    with Program(SOURCE, "c++", SM90) as program:
        for names in ([bytearray(b"scale<int>")], ["scale<int>"], (b"scale<int>",)):
            program.compile("ptx", names, cache=cache)
    assert cache.asked.count(key(name_expressions=["scale<int>"])) == 3


def test_failed_compilations_and_failed_cache_writes():
    cache = InMemoryProgramCache()
    for _ in range(2):
        with pytest.raises(RuntimeError, match="COMPILATION"):
            Program("nonsense", "c++", SM90).compile("ptx", logs=io.StringIO(), cache=cache)
    assert len(cache) == 0

    class Full(InMemoryProgramCache):
        def __setitem__(self, key, value):
            raise OSError("no space left on device")

    cache = Full()
    with pytest.warns(RuntimeWarning, match=r"^the compiled program is not kept: no space left on device$"):
        assert Program(PTX, "ptx").compile("ptx", cache=cache).code.decode() == PTX
