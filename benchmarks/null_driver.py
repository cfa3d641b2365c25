# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Build a libcuda.so.1 that does nothing, with every function of cuda.h: what a call costs then is the caller's own."""

from __future__ import annotations

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "cuda_bindings"))


def build(folder: pathlib.Path) -> pathlib.Path:
    """Compile the driver into `folder` and return its path."""
    from codegen import roles

    functions = roles.libraries()["driver"].functions.values()
    names = {name for one in functions for name in (one.name, one.symbol, one.per_thread) if name}
    rest = folder / "null_rest.c"
    rest.write_text("".join(f"__attribute__((weak)) int {name}(void) {{ return 0; }}\n" for name in sorted(names)))
    library = folder / "null/libcuda.so.1"
    library.parent.mkdir(exist_ok=True)
    flags = ["-O2", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1"]
    subprocess.run(["gcc", *flags, "-o", library, HERE / "null_driver.c", rest, "-ldl"], check=True)
    return library
