# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compilation: kinds of code, options, names, errors, logs, the cache of compiled programs."""

import io
import tempfile

from common import begin, outcome

from cuda.core import Program, ProgramOptions
from cuda.core.utils import FileStreamProgramCache, InMemoryProgramCache, make_program_cache_key

device, stream = begin()
arch = f"sm_{device.arch}"
SOURCE = "template <int n> __global__ void k(int *x) { x[0] = n + EXTRA; }"
options = ProgramOptions(
    arch=arch, define_macro=("EXTRA", "4"), std="c++20", lineinfo=True, ftz=True, max_register_count=40
)
program = Program(SOURCE, "c++", options)
print(program.backend, program.is_closed if hasattr(program, "is_closed") else None)
for kind in ("ptx", "cubin", "ltoir"):
    setting = ProgramOptions(arch=arch, define_macro=("EXTRA", "4"), link_time_optimization=kind == "ltoir" or None)
    code = Program(SOURCE, "c++", setting).compile(kind, name_expressions=("k<1>", "k<2>"))
    print(kind, code.code_type, sorted(code.symbol_mapping), code.symbol_mapping["k<1>"] != code.symbol_mapping["k<2>"])
logs = io.StringIO()
Program("__global__ void w() { int unused; }", "c++", ProgramOptions(arch=arch)).compile("ptx", logs=logs)
print("unused" in logs.getvalue())
print(outcome(Program("__global__ void w() { x = 1; }", "c++", ProgramOptions(arch=arch)).compile, "ptx"))
print(outcome(Program, SOURCE, "fortran"), outcome(Program, 3, "c++"), outcome(program.compile, "exe"))
ptx = Program(SOURCE, "c++", ProgramOptions(arch=arch, define_macro=("EXTRA", "4"))).compile(
    "ptx", name_expressions=("k<3>",)
)
linked = Program(ptx.code.decode(), "ptx", ProgramOptions(arch=arch))
print(linked.backend, linked.compile("cubin").code_type)
program.close()
key = make_program_cache_key(
    code=SOURCE, code_type="c++", options=options, target_type="ptx", name_expressions=("k<3>",)
)
print(type(key).__name__, len(key) > 8)
memory = InMemoryProgramCache()
memory[key] = ptx
print(len(memory), memory[key] == ptx.code, memory.get("other"))
with tempfile.TemporaryDirectory() as folder, FileStreamProgramCache(folder) as cache:
    cache[key] = ptx
    print(len(cache), cache[key] == ptx.code, outcome(cache.__getitem__, b"other"))
    del cache[key]
    print(len(cache))
