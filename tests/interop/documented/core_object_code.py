# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Object code: from bytes, files, by code type; kernels by name; pickling; what is wrong with others."""

import os
import pickle
import tempfile

from common import begin, outcome

from cuda.core import Kernel, ObjectCode, Program, ProgramOptions

device, stream = begin()
SOURCE = 'extern "C" __global__ void first(int *x) { *x = 1; } extern "C" __global__ void second(float y, char z, double *w) {}'
for kind in ("ptx", "cubin", "ltoir"):
    link = kind == "ltoir"
    program = Program(
        SOURCE, "c++", ProgramOptions(arch=f"sm_{device.arch}", link_time_optimization=link or None, name="part")
    )
    code = program.compile(kind)
    print(kind, code.code_type, code.name, type(code.code).__name__, code.symbol_mapping)
    program.close()
    again = pickle.loads(pickle.dumps(code))
    print(again.code == code.code, again.code_type, again.name, again.symbol_mapping)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "code")
        with open(path, "wb") as file:
            file.write(code.code)
        same = getattr(ObjectCode, f"from_{kind}")(path, name="of file")
        print(same.name, same.code_type, isinstance(same.code, (str, bytes)))
        if not link:
            kernel = same.get_kernel("second")
            print(
                isinstance(kernel, Kernel),
                kernel.attributes.max_threads_per_block > 0,
                kernel.num_arguments,
                kernel.arguments_info,
            )
            print(
                outcome(same.get_kernel, "third"),
                outcome(same.get_kernel, 3),
                outcome(same.get_kernel, b"first") != "x",
            )
print(outcome(ObjectCode))
print(outcome(lambda: ObjectCode.from_ptx(b"nonsense").get_kernel("k")))
print(outcome(lambda: ObjectCode.from_cubin(b"\0" * 64).get_kernel("k")))
print(outcome(Kernel), outcome(Program(SOURCE, "c++").compile, "exe"))
print(Program(SOURCE, "c++").backend, Program(SOURCE, "c++").handle is not None)
