# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Link-time optimisation of clang's LLVM bitcode: one module of all inputs, then PTX, which is linked with the rest."""

from __future__ import annotations

import dataclasses
import os
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cuda.core._program._clang._attributes import ANNOTATIONS, with_attributes
from cuda.core._program._clang._compile import without_names
from cuda.core._program._clang._find import find
from cuda.core._program._clang._ptx_version import version_options
from cuda.core._program._clang._run import run

if TYPE_CHECKING:
    from cuda.core._program._linker_options import LinkerOptions
    from cuda.core._program._module import ObjectCode

# Options that are applied to bitcode by clang; the linker of its PTX does not get them.
_APPLIED = ("link_time_optimization", "ptx", "ftz", "prec_div", "prec_sqrt", "fma")


def _arguments(options: LinkerOptions, version: str) -> list[str]:
    level = 3 if options.optimization_level is None else int(options.optimization_level)
    arch = str(options.arch).rpartition("_")[2]
    return [
        "--target=nvptx64-nvidia-cuda", f"-march=sm_{arch}", "-nogpulib", "--no-default-config", f"-O{level}",
        *version_options(version, f"sm_{arch}"), "-x", "ir",
        "-mllvm", f"-nvptx-prec-divf32={1 if options.prec_div is False else 2}",
        "-mllvm", f"-nvptx-prec-sqrtf32={0 if options.prec_sqrt is False else 1}",
    ]  # fmt: skip


def link_bitcode(inputs: list[bytes], options: LinkerOptions) -> tuple[bytes, str]:
    """Return the PTX of several modules, optimised together, and the messages.

    Raises
    ------
    ClangError
        clang is not installed, or rejects the inputs.
    """
    command, version = find()
    with tempfile.TemporaryDirectory(prefix="cuda-core-clang-") as work:
        paths = [os.path.join(work, f"input{index}.bc") for index in range(len(inputs))]
        for path, data in zip(paths, inputs, strict=True):
            with open(path, "wb") as file:
                file.write(data)
        others = [text for path in paths[1:] for text in ("-Xclang", "-mlink-bitcode-file", "-Xclang", path)]

        def linked(form: list[str]) -> tuple[bytes, str]:
            data, log = run([*command, *_arguments(options, version), *form, *others, paths[0]], b"", work, work)
            return data or b"", log

        ptx, log = linked(["-S"])
        text = with_attributes(ptx.decode("ascii"), lambda: linked(ANNOTATIONS)[0].decode())
    return without_names(text.encode()), log


class BitcodeLink:
    """A link whose inputs include LLVM bitcode. `start` returns the link of the PTX and the other inputs."""

    def __init__(
        self,
        options: LinkerOptions,
        is_bitcode: Callable[[ObjectCode], bool],
        start: Callable[[LinkerOptions], Any],
    ) -> None:
        self._options = options
        self._is_bitcode = is_bitcode
        self._start = start
        self._bitcode: list[bytes] = []
        self._others: list[ObjectCode] = []
        self._rest: Any = None
        self._log = ""

    @property
    def handle(self) -> Any:
        """The handle of the link of PTX, None before there is one."""
        return self._rest.handle if self._rest is not None else None

    def add(self, code: ObjectCode) -> None:
        """Add an input."""
        if self._is_bitcode(code):
            self._bitcode.append(code._bytes())
        else:
            self._others.append(code)

    def complete(self, target: str) -> bytes:
        """Link, and return the cubin or PTX.

        Raises
        ------
        ValueError
            The result is to be PTX, and an input is not bitcode.
        """
        from cuda.core._program._module import ObjectCode

        if target == "ptx" and self._others:
            raise ValueError(f"target_type 'ptx' needs inputs of clang's LLVM bitcode, not {self._others[0].code_type}")
        ptx, self._log = link_bitcode(self._bitcode, self._options)
        if target == "ptx":
            return ptx
        self._rest = self._start(dataclasses.replace(self._options, **dict.fromkeys(_APPLIED)))
        for code in (ObjectCode._make(ptx, "ptx", self._options.name or "", {}, {}), *self._others):
            self._rest.add(code)
        data: bytes = self._rest.complete(target)
        return data

    def logs(self) -> tuple[str, str]:
        """Return the errors and the other messages."""
        errors, messages = self._rest.logs() if self._rest is not None else ("", "")
        return errors, "\n".join(filter(None, (self._log, messages)))

    def close(self) -> None:
        """Destroy the link of PTX."""
        if self._rest is not None:
            self._rest.close()
