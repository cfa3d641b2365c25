# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run a program by each compiler on the CPU device, and compare."""

from __future__ import annotations

import contextlib
import ctypes
import os
import tempfile
import unittest.mock
from collections.abc import Iterator
from typing import Any

import numpy as np

from ci.random_programs.program import INPUTS, SLOTS, Program
from ci.random_programs.types import THREADS

# How the CPU device compiles the code of each: as for a first launch, and as for hot kernels (LLVM's optimisations).
LEVELS = {"nvrtc": "0", "clang": "1"}
INEXACT_SLOTS = 64
SPECIAL = np.array([0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1, 0x7F800000, 0x3F800000, 0x7FF0000000000000,
                    0x3FF0000000000000, 0x4024000000000000, 0x41200000, 7, 255], np.uint64)  # fmt: skip


def inputs(seed: int) -> Any:
    """Return the words that the threads get: random ones, small ones, usual floats, and special values."""
    random = np.random.default_rng(seed)
    words = random.integers(0, 1 << 64, (THREADS, len(INPUTS)), np.uint64)
    usual = random.normal(0, 100, words.shape)
    words[:, 7] = usual[:, 7].view(np.uint64) if random.random() < 0.7 else words[:, 7]
    words[:, 6] = usual[:, 6].astype(np.float32).view(np.uint32) if random.random() < 0.7 else words[:, 6]
    small = random.random(words.shape) < 0.3
    words[small] = random.integers(0, 100, small.sum()).astype(np.uint64)
    special = random.random(words.shape) < 0.1
    words[special] = random.choice(SPECIAL, special.sum())
    return words


@contextlib.contextmanager
def printed() -> Iterator[list[str]]:
    """Collect what is printed, also by kernels."""
    texts: list[str] = []
    with tempfile.TemporaryFile() as file:
        saved = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            yield texts
        finally:
            ctypes.CDLL(None).fflush(None)
            os.dup2(saved, 1)
            os.close(saved)
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))


class Device:
    """The CPU device with the memory of a program."""

    def __init__(self) -> None:
        from cuda.core import Device as CoreDevice
        from cuda.core import LegacyPinnedMemoryResource

        self.device = CoreDevice()
        self.device.set_current()
        self.stream = self.device.create_stream()
        memory = LegacyPinnedMemoryResource()
        sizes = [
            8 * THREADS * len(INPUTS),
            8 * THREADS * SLOTS,
            4 * THREADS * INEXACT_SLOTS,
            8 * THREADS * INEXACT_SLOTS,
        ]
        self.buffers = [memory.allocate(size, stream=self.stream) for size in sizes]
        types = (np.uint64, np.uint64, np.float32, np.float64)
        self.arrays = [np.frombuffer(memoryview(b), t) for b, t in zip(self.buffers, types, strict=True)]

    def run(self, program: Program, compiler: str) -> tuple[Any, Any, Any, str]:
        """Return what a program stores and prints.

        Raises
        ------
        RuntimeError
            A compiler or the device rejects it.
        """
        from cuda.core import LaunchConfig, ObjectCode, ProgramOptions, launch
        from cuda.core import Program as CoreProgram

        optimise = None if program.optimise or compiler == "nvrtc" else False
        options = ProgramOptions(
            compiler=compiler, arch=program.arch, std=program.std, fma=False, use_bundled_headers=True,
            disable_warnings=True, device_code_optimize=optimise,
        )  # fmt: skip
        code = CoreProgram(program.text(), "c++", options).compile("ptx")
        kernel = ObjectCode.from_ptx(bytes(code.code)).get_kernel("k")
        for array in self.arrays[1:]:
            array[:] = 0
        self.arrays[0][:] = inputs(program.seed).ravel()
        with printed() as texts, unittest.mock.patch.dict(os.environ, CUDA_CPU_LEVEL=LEVELS[compiler]):
            launch(self.stream, LaunchConfig(grid=1, block=THREADS), kernel, *self.buffers)
            self.stream.sync()
        return (*(array.copy() for array in self.arrays[1:]), texts[0])


def differences(program: Program, device: Device) -> list[str]:
    """Return in what the results of a program by the compilers differ."""
    first, second = device.run(program, "nvrtc"), device.run(program, "clang")
    found = []
    different = np.flatnonzero(first[0] != second[0])
    for index in different[:5]:
        slot, thread = divmod(int(index), THREADS)
        found.append(f"slot {slot}, thread {thread}: {first[0][index]:#x} by NVRTC, {second[0][index]:#x} by clang")
    for kind, a, b in zip(("float", "double"), first[1:3], second[1:3], strict=True):
        for slot, (name, bound) in enumerate(program.inexact[kind][:INEXACT_SLOTS]):
            part = slice(slot * THREADS, (slot + 1) * THREADS)
            found += [f"{name}: {text}" for text in _apart(a[part], b[part], 2 * bound + 1)[:2]]
    if first[3] != second[3]:
        found.append(f"printed {first[3]!r} by NVRTC, {second[3]!r} by clang")
    return found


def _ordinals(numbers: Any) -> Any:
    """Map floating-point numbers to Python's integers, adjacent numbers to consecutive ones, both zeros to 0."""
    bits = numbers.view(f"i{numbers.itemsize}").astype(object)
    least = -(1 << 8 * numbers.itemsize - 1)
    return np.where(bits < 0, least - bits, bits)


def _apart(a: Any, b: Any, bound: int) -> list[str]:
    """Return the pairs that are more than `bound` units in the last place apart; infinity follows the greatest one."""
    same = np.isnan(a) & np.isnan(b)
    near = np.abs(_ordinals(a) - _ordinals(b)) <= bound
    wrong = ~same & (np.isnan(a) | np.isnan(b) | ~near)
    return [f"{a[i]!r} by NVRTC, {b[i]!r} by clang" for i in np.flatnonzero(wrong)]
