# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the PTX in what a program loads: text, a cubin or a fatbin.

A cubin has PTX if it was made with -lineinfo: a section `.nv_debug_ptx_txt` or `.nv_debug_ptx_txt.N` for each unit,
in which each line, without its indentation, ends in NUL. NVIDIA does not document this;
tests/cpu/ptx/test_ptx_compilers.py checks it for the installed compiler.
"""

from __future__ import annotations

import bisect
import ctypes
import functools
import operator
import re

from cuda.cpu.ptx import device_runtime, elf, fatbin
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.syntax import Location

_SECTION = ".nv_debug_ptx_txt"
_LINES = ".debug_line"  # which line of the source each piece of the GPU's code comes from
_PTX_LINES = ".nv_debug_line_sass"  # the same for lines of PTX; of several units, its files are their sections
_PARAMETERS = ".nv.constant0."
_TOOLS = ".note.nv.tkinfo"  # a note with the tools that made the cubin, and their options as they would be typed
_MOST_REGISTERS = re.compile(rb"(?<![\w-])--?maxrregcount[= ](\d+)")
_offset = operator.itemgetter(0)
_ADVICE = "compile and link with -lineinfo (nvrtc, nvcc and nvJitLink know it), or load PTX"
_FATBIN_ADVICE = f"{_ADVICE} (nvcc -gencode arch=compute_90,code=compute_90 adds it)"


class NoPtxError(PtxError):
    """An image with machine code alone."""


class CubinText(str):
    """PTX of a cubin. It has no .loc directives: the lines of the source are found through the GPU's code.

    `most_registers` is what the cubin was compiled with as the greatest number of registers, 0 without.
    """

    def __new__(cls, text: str, section: str, tables: dict[str, bytes], most_registers: int = 0) -> CubinText:
        self = super().__new__(cls, text)
        self._section, self._tables, self.most_registers = section, tables, most_registers
        return self

    def source(self, line: int) -> Location | None:
        """Return where a line of the PTX comes from."""
        return self._sources.get(line)

    @functools.cached_property
    def _sources(self) -> dict[int, Location]:
        from cuda.cpu.ptx.dwarf import line_table

        rows: dict[int, list[tuple[int, Location]]] = {}
        for row in line_table(self._tables, _LINES):
            rows.setdefault(row.section, []).append((row.offset, Location(row.file, row.line)))
        for each in rows.values():
            each.sort(key=_offset)
        found: dict[int, Location] = {}
        for row in line_table(self._tables, _PTX_LINES):
            if row.file in ("", self._section):
                known = rows.get(row.section, [])
                before = bisect.bisect_right(known, row.offset, key=_offset)
                if row.line and before and known[before - 1][1].line:
                    found.setdefault(row.line, known[before - 1][1])
        return found


def ptx_of(data: bytes, *, capability: int = 90) -> list[str]:
    """Return the PTX text of each unit in an image.

    Parameters
    ----------
    data : bytes
        PTX text, with or without a terminating NUL; a cubin; or a fatbin.
    capability : int, optional
        Compute capability of the device times ten, which decides between the images of a fatbin.

    Raises
    ------
    PtxError
        The image is none of these or has no PTX; the message says how to make one that has.
    """
    if data[:4] == elf.MAGIC:
        return _cubin_ptx(data)
    magic = int.from_bytes(data[:4], "little")
    if magic == fatbin.WRAPPER_MAGIC:
        if len(data) < fatbin.WRAPPER_SIZE:
            raise PtxError("the fatbin wrapper is shorter than 24 bytes")
        return ptx_of(image_at(int.from_bytes(data[8:16], "little")), capability=capability)
    if magic == fatbin.MAGIC:
        return _fatbin_ptx(data, capability)
    return [_text(data)]


def image_size(address: int) -> int:
    """Return how many bytes the image at a host address has, a text's terminating NUL not counted."""
    start = ctypes.string_at(address, 4)
    if start == elf.MAGIC:
        header = ctypes.string_at(address, elf.HEADER_SIZE)
        offset, count, _ = elf.section_table(header)
        return elf.file_size(header, ctypes.string_at(address + offset, 64 * count))
    magic = int.from_bytes(start, "little")
    if magic == fatbin.WRAPPER_MAGIC:
        return fatbin.WRAPPER_SIZE
    if magic == fatbin.MAGIC:
        return fatbin.fatbin_size(ctypes.string_at(address, fatbin.HEADER.size))
    return len(ctypes.string_at(address))


def image_at(address: int) -> bytes:
    """Return a copy of the image at a host address."""
    if not address:
        raise PtxError("the image is a null pointer")
    return ctypes.string_at(address, image_size(address))


def _text(data: bytes) -> str:
    text = data.partition(b"\0")[0].decode("utf-8", "replace")
    if ".version" not in text:
        shown = data[:16].hex(" ") if data else "nothing"
        raise PtxError(f"the image is no PTX, cubin or fatbin: it begins with {shown}")
    return text


def _cubin_ptx(data: bytes) -> list[str]:
    found = elf.sections(data)
    lines = {name: content for name, content in found if name.endswith((_LINES, _PTX_LINES))}
    units = [(name, content) for name, content in found if name == _SECTION or name.startswith(_SECTION + ".")]
    options = _MOST_REGISTERS.findall(b" ".join(content for name, content in found if name == _TOOLS))
    most = int(options[-1]) if options else 0
    texts = [
        CubinText(unit.replace(b"\0", b"\n").decode("utf-8", "replace"), name, lines, most) for name, unit in units
    ]
    if not texts:
        raise NoPtxError(f"the cubin has no PTX, which the CPU device needs: {_ADVICE}")
    # Each kernel has a section for its parameters; .text sections are also those of functions that ptxas brings along.
    kernels = [name[len(_PARAMETERS) :] for name, _ in found if name.startswith(_PARAMETERS)]
    lacking = [
        name
        for name in kernels
        if not any(_has_name(text, name) for text in texts) and not device_runtime.KERNEL.match(name)
    ]
    if lacking:
        raise PtxError(f"the cubin has no PTX of {', '.join(lacking)}: {_ADVICE} for every unit")
    return texts


def _has_name(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text) is not None


def _fatbin_ptx(data: bytes, capability: int) -> list[str]:
    """Return the PTX of what a driver takes: machine code for the device's family, else PTX for the newest of its past.

    PTX for newer devices is the last choice: the CPU device runs PTX of any target.
    """
    images = fatbin.entries(data)
    newest_first = sorted(images, key=lambda image: -image.arch)
    texts = [image for image in newest_first if image.kind == fatbin.PTX]
    machine = [image for image in newest_first if image.kind == fatbin.ELF and _runs_on(image.arch, capability)]
    has = fatbin.contents(data)
    failure: PtxError = NoPtxError(f"the fatbin has no PTX, which the CPU device needs, but {has}: {_FATBIN_ADVICE}")
    if images and not texts and not machine:
        failure = NoPtxError(f"the fatbin has nothing for compute capability {capability / 10}, but {has}")
    for image in machine:
        try:
            return _cubin_ptx(image.data)
        except NoPtxError:
            pass
        except PtxError as error:
            failure = error
    if not texts:
        raise failure
    return [_text(next((image for image in texts if image.arch <= capability), texts[-1]).data)]


def _runs_on(arch: int, capability: int) -> bool:
    """Tell whether machine code runs on a device: that of the same family, for it or an older member."""
    return arch // 10 == capability // 10 and arch <= capability
