# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""How programs get the device headers from clang: parsed or precompiled, before macros of the user."""

from __future__ import annotations

import os

import pytest

from cuda.core import ClangError, Program, ProgramOptions
from cuda.core._program._clang import _compile, _find, _precompiled

if not _find.is_installed():
    pytest.skip("clang is not installed: pip install ziglang", allow_module_level=True)

F = 'extern "C" __global__ void f(float *x) { x[0] = x[0] * x[1] + x[2] / x[3]; }'
MACRO = 'extern "C" __global__ void f(int *x) { x[0] = COUNT; }'


@pytest.fixture(autouse=True)
def _folder(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "clang"))


def compiled(source: str, **options) -> str:
    return bytes(Program(source, "c++", ProgramOptions(compiler="clang", **options)).compile("ptx").code).decode()


HALVES = 'extern "C" __global__ void f(float *x, __half *h) { x[0] = h[0]; }'
# Program, and the headers that are precompiled for it.
LEADING = [
    ("#include <cuda_fp16.h>\nint x;", ["cuda_fp16.h"]),
    ("\n /* a\n#include <mma.h> */ // b\n # include  <cuda_fp16.h> // c\n#include <mma.h>", ["cuda_fp16.h", "mma.h"]),
    ("#include <mma.h>\r\n#include <mma.h>\r\n#include <cuda_fp16.h>", ["mma.h", "cuda_fp16.h"]),
    ('#include "cuda_fp16.h"\n', []),  # may be the program's own
    ("#include <mine.h>\n#include <cuda_fp16.h>\n", []),
    ("#if 0\n#include <cuda_fp16.h>\n#endif", []),
    ("#define A\n#include <cuda_fp16.h>\n", []),
    ("#include <../include/mma.h>\n", []),
    ("int x; // #include <mma.h>\n", []),
    ("", []),
]


@pytest.mark.parametrize(("source", "names"), LEADING)
def test_headers_that_a_program_begins_with(source, names):
    paths = _precompiled.leading_headers(source.encode())
    assert paths == [os.path.join(_find.headers(), name) for name in names]


# Programs that name things of so many headers that reading them precompiled is faster: of common ones, and of all.
SOME = 'extern "C" __global__ void f(float *x) { x[0] = erff(__shfl_sync(~0u, x[0], 1)); }'
MANY = 'extern "C" __global__ void f(double *x) { x[0] = tgamma(__ldg(x)); }'


class TestPrecompiled:
    """The precompiled device headers."""

    @pytest.fixture
    def folder(self, monkeypatch, tmp_path):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        return tmp_path / "open-cuda-python/clang-headers"

    def test_are_not_made_for_programs_that_need_few(self, folder):
        for source in (F, MACRO.replace("COUNT", "1")):
            compiled(source)
        assert not list(folder.iterdir())

    def test_are_made_for_the_second_program_that_needs_many(self, folder):
        compiled(MANY)
        assert not list(folder.iterdir())
        compiled(MANY)
        assert len(list(folder.iterdir())) == 1
        compiled(MANY, std="c++20")
        assert len(list(folder.iterdir())) == 1

    def test_are_of_common_headers_where_these_do(self, folder):
        for source, count in ((SOME, 0), (SOME, 1), (MANY, 1), (MANY, 2), (SOME, 2)):
            compiled(source)
            assert len(list(folder.iterdir())) == count
        first, second = sorted(path.stat().st_size for path in folder.iterdir())
        assert 2 * first < second

    def test_are_made_once_for_each_language(self, folder):
        included = f"#include <mma.h>\n{MACRO}"
        for count in (1, 2):
            compiled(included, define_macro=("COUNT", str(count)))
        assert len(list(folder.iterdir())) == 1
        compiled(included, std="c++20", define_macro=("COUNT", "1"))
        assert len(list(folder.iterdir())) == 2

    def test_with_the_headers_that_a_program_begins_with(self, folder):
        for included in ("/* halves */\n#include <cuda_fp16.h>\n", "#include <cuda_fp16.h>\n#define HALF __half\n"):
            assert "cvt.f32.f16" in compiled(f"{included}{HALVES}")
        assert len(list(folder.iterdir())) == 1
        compiled(f"struct mine;\n#include <cuda_fp16.h>\n{HALVES}")
        assert len(list(folder.iterdir())) == 2

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
    def test_of_others_are_not_used(self, folder):
        folder.mkdir(parents=True)
        os.chown(folder, 12345, 12345)
        for _ in range(2):
            assert ".entry f" in compiled(MANY)
        assert not list(folder.iterdir())

    def test_without_space_headers_are_parsed(self, folder):
        folder.parent.write_text("")
        for _ in range(2):
            assert ".entry f" in compiled(MANY)


# Of what device headers contain, too: names of parameters, of templates and of variables.
NAMES = (("T", "float"), ("N", "16"), "x", ("value", "no such thing"), ("NEXT", "NOW"), ("NOW", "N + 1"))
TAKEN = """#if x != 1
#error x
#endif
__global__ void k(T *p) { p[0] = sqrtf(p[NEXT]); }"""


@pytest.mark.parametrize("others", [{}, {"undefine_macro": "MINE"}], ids=["few headers", "all headers"])
def test_macros_do_not_change_device_headers(others):
    for macros in (NAMES, ("NDEBUG", *NAMES)):
        assert "sqrt.rn.f32" in compiled(TAKEN, define_macro=macros, **others)


@pytest.mark.parametrize("option", ["", "pre_include", "use_bundled_headers"])
def test_clang_runs_once(option, monkeypatch, tmp_path):
    """Also where a file that is included names what the program does not."""
    (tmp_path / "first.h").write_text("__device__ float g(float x) { return erff(x); }")
    options = {"pre_include": str(tmp_path / "first.h"), "use_bundled_headers": True, "": None}[option]
    runs, run = [], _compile.run
    monkeypatch.setattr(_compile, "run", lambda *arguments: runs.append(arguments) or run(*arguments))
    assert ".entry f" in compiled(F, **({option: options} if option else {}))
    assert len(runs) == 1


def test_messages_are_those_of_all_headers():
    with pytest.raises(ClangError, match="use of undeclared identifier 'tgama'; did you mean 'tgamma'"):
        compiled("__global__ void k(double *x) { x[0] = tgama(x[0]); }")
