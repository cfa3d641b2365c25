# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""PTX of programs for which clang's code generator crashes.

Some versions crash on a few programs, such as CUB's scan with look-ahead (clang 22), when the code generator optimises.
Without that it translates the same optimised LLVM IR. The PTX has more instructions and registers, which the compiler
of PTX removes.
"""

from __future__ import annotations

import itertools
import os

from cuda.core._program._clang._run import run

_NOTE = "warning: clang crashed when it generated PTX: this was repeated without the code generator's optimisations"


def generate_plainly(
    command: list[str], language: list[str], bitcode: bytes, work: str, fma: bool
) -> tuple[bytes, str]:
    """Return the PTX of optimised LLVM bitcode, and the message that tells of it.

    Parameters
    ----------
    command, language : list of str
        clang, and the options that the bitcode was made with.
    bitcode : bytes
        The program.
    work : str
        A folder for files.
    fma : bool
        Whether products and sums are contracted, which the code generator does not do by itself without optimisation.

    Raises
    ------
    ClangError
        clang crashes again.
    """
    path = os.path.join(work, "program.bc")
    with open(path, "wb") as file:
        file.write(bitcode)
    arch = next(option.partition("=")[2] for option in language if option.startswith("--cuda-gpu-arch="))
    given = [
        "--target=nvptx64-nvidia-cuda", f"-march={arch}", "-nogpulib", "--no-default-config", "-x", "ir", "-S",
        "-O0", "-Xclang", "-disable-llvm-passes", "-Wno-unknown-cuda-version",
        "-mllvm", f"-nvptx-fma-level={2 if fma else 0}",
        *(option for option in language if option.startswith(("--cuda-path=", "--cuda-feature="))),
    ]  # fmt: skip
    for option, value in itertools.pairwise(language):
        given += [option, value] if option == "-mllvm" else []
    ptx, log = run([*command, *given, path], b"", work, work)
    return ptx or b"", "\n".join(part for part in (_NOTE, log) if part)
