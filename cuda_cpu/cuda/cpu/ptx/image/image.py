# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the PTX in an image that a program loads: text, a cubin or a fatbin.

A cubin has PTX if it was made with -lineinfo: a section `.nv_debug_ptx_txt` or `.nv_debug_ptx_txt.N` for each unit,
in which each line, without its indentation, ends in NUL. NVIDIA does not document this;
tests/cpu/ptx/test_ptx_compilers.py checks it for the installed compiler.
"""

from __future__ import annotations

import bisect
import functools
import operator
import re
from typing import TYPE_CHECKING

from cuda.cpu.ptx import device_runtime, targets
from cuda.cpu.ptx.error import NoPtxError, PtxError
from cuda.cpu.ptx.image import elf, fatbin, host_memory, tile_ir
from cuda.cpu.ptx.syntax import Location

if TYPE_CHECKING:
    from cuda.cpu.ptx.image.dwarf import Row

_SECTION = ".nv_debug_ptx_txt"
_LINES = ".debug_line"  # line table: from machine code of the GPU to source lines
_PTX_LINES = ".nv_debug_line_sass"  # the same to lines of PTX; of several units, its files are their sections
_NAMES = ".debug_str"  # of inlined functions
_PARAMETERS = ".nv.constant0."
_TOOLS = ".note.nv.tkinfo"  # a note with the tools that made the cubin, and their command-line options
_MOST_REGISTERS = re.compile(rb"(?<![\w-])--?maxrregcount[= ](\d+)")
_WORD = re.compile(r"[\w$]+")
_SHOWN = 10  # names in a message
_DIGITS, _ALL_REGISTERS = 9, 255
_offset = operator.itemgetter(0)
_ADVICE = "compile and link with -lineinfo (nvrtc, nvcc and nvJitLink know it), or load PTX"
_FATBIN_ADVICE = f"{_ADVICE} (nvcc -gencode arch=compute_90,code=compute_90 adds it)"


class NoUnitsError(NoPtxError):
    """A cubin without PTX."""


class CubinText(str):
    """PTX of a cubin. It has no .loc directives: source lines are found by the line tables of the GPU's code.

    `most_registers` is the limit of registers (-maxrregcount) that the cubin was compiled with, 0 for none.
    """

    _section: str
    _tables: dict[str, bytes]
    most_registers: int

    def __new__(cls, text: str, section: str, tables: dict[str, bytes], most_registers: int = 0) -> CubinText:
        self = super().__new__(cls, text)
        self._section, self._tables, self.most_registers = section, tables, most_registers
        return self

    def source(self, line: int) -> Location | None:
        """Return the source location of a PTX line."""
        return self._sources.get(line)

    @functools.cached_property
    def _sources(self) -> dict[int, Location]:
        from cuda.cpu.ptx.image.dwarf import line_table

        rows: dict[int, list[tuple[int, Location]]] = {}
        for row in line_table(self._tables, _LINES):
            rows.setdefault(row.section, []).append((row.offset, _location(row)))
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


def _location(row: Row) -> Location:
    caller = _location(row.caller) if row.caller is not None else None
    return Location(row.file, row.line, 0, row.function, caller)


def ptx_of(data: bytes, *, capability: int | None = None) -> list[str]:
    """Return the PTX text of each unit in an image.

    Parameters
    ----------
    data : bytes
        PTX text, with or without a terminating NUL; a cubin; or a fatbin.
    capability : int, optional
        Compute capability of the device times ten: images that do not run on it are refused. Without it, the PTX of a
        fatbin for the newest devices is used.

    Raises
    ------
    NoPtxError
        The image has no PTX for the device; the message says how to compile one that has.
    PtxError
        The image is none of these, or is damaged.
    """
    if data[:4] == elf.MAGIC:
        return _cubin_ptx(data, capability)
    magic = int.from_bytes(data[:4], "little")
    if magic == fatbin.WRAPPER_MAGIC:
        if len(data) < fatbin.WRAPPER_SIZE:
            raise PtxError("the fatbin wrapper is shorter than 24 bytes")
        data = _at_wrapper(data)
    elif data.startswith(tile_ir.MAGIC):
        raise NoPtxError("Tile IR has no PTX: tileiras assembles it to a cubin that has")
    elif magic != fatbin.MAGIC:
        return [_text(data)]
    return _fatbin_ptx(data, capability)


def _at_wrapper(wrapper: bytes) -> bytes:
    address = int.from_bytes(wrapper[8:16], "little")
    data = image_at(address)
    if int.from_bytes(data[:4], "little") != fatbin.MAGIC:
        raise PtxError(f"the fatbin wrapper points to 0x{address:x}, where no fatbin begins")
    return data


def image_size(address: int) -> int:
    """Return the size in bytes of the image at a host address, without the terminating NUL of a text."""
    start = host_memory.read(address, 4, "the image")
    if start == elf.MAGIC:
        header = host_memory.read(address, elf.HEADER_SIZE, "the ELF header")
        offset, count, _ = elf.section_table(header)
        return elf.file_size(header, host_memory.read(address + offset, 64 * count, "the table of sections"))
    if start == tile_ir.MAGIC[:4] and host_memory.read(address, 8, "the image") == tile_ir.MAGIC:
        return tile_ir.size_at(address)
    magic = int.from_bytes(start, "little")
    if magic == fatbin.WRAPPER_MAGIC:
        return fatbin.WRAPPER_SIZE
    if magic == fatbin.MAGIC:
        return fatbin.fatbin_size(host_memory.read(address, fatbin.HEADER.size, "the fatbin's header"))
    return len(host_memory.read_text(address))


def image_at(address: int) -> bytes:
    """Return a copy of the image at a host address.

    Raises
    ------
    PtxError
        The image, with the size in its headers, is not readable.
    """
    if not address:
        raise PtxError("the image is a null pointer")
    return host_memory.read(address, image_size(address), "the image")


def _text(data: bytes) -> str:
    text = data.partition(b"\0")[0].decode("utf-8", "replace")
    if ".version" not in text:
        shown = data[:16].hex(" ") if data else "nothing"
        raise PtxError(f"the image is no PTX, cubin, fatbin or Tile IR: it begins with {shown}")
    return text


def _cubin_ptx(data: bytes, capability: int | None) -> list[str]:
    found = elf.Sections(data)
    made_for = elf.architecture(data)
    if made_for and capability and not targets.runs_machine_code(made_for, capability):
        raise NoPtxError(
            f"the cubin is for sm_{made_for}, which a device of compute capability {targets.spell(capability)} does "
            f"not run: that takes a cubin for sm_{capability // 10}0 to sm_{capability}, or PTX"
        )
    texts = _cubin_units(found)
    if not texts:
        raise NoUnitsError(f"the cubin has no PTX, which the CPU device needs: {_ADVICE}")
    for reason in [targets.misfit(text, capability) for text in texts]:
        if reason:
            raise NoPtxError(f"the cubin's PTX: {reason}")
    # Each kernel has a section for its parameters; .text sections also exist for functions that ptxas adds.
    kernels = [name[len(_PARAMETERS) :] for name in found if name.startswith(_PARAMETERS)]
    known = {word for text in texts for word in _WORD.findall(text)} if kernels else set()
    lacking = [name for name in kernels if name not in known and not device_runtime.KERNEL.match(name)]
    if lacking:
        raise NoPtxError(f"the cubin has no PTX of {', '.join(lacking[:_SHOWN])}: {_ADVICE} for every unit")
    return texts


def _cubin_units(found: elf.Sections) -> list[str]:
    lines = dict(found.select(lambda name: name.endswith((_LINES, _PTX_LINES)) or name == _NAMES))
    units = found.select(lambda name: name == _SECTION or name.startswith(_SECTION + "."))
    options = _MOST_REGISTERS.findall(b" ".join(content for _, content in found.select(lambda name: name == _TOOLS)))
    most = min(int(options[-1][:_DIGITS]), _ALL_REGISTERS) if options else 0
    return [CubinText(unit.replace(b"\0", b"\n").decode("utf-8", "replace"), name, lines, most) for name, unit in units]


def _fatbin_ptx(data: bytes, capability: int | None) -> list[str]:
    """Return the PTX of the image that a driver selects: machine code for the device, else the newest PTX that runs."""
    images = sorted(fatbin.entries(data), key=lambda image: -image.arch)
    machine = [
        image for image in images if image.kind == fatbin.ELF and targets.runs_machine_code(image.arch, capability)
    ]
    failure: PtxError | None = None
    for image in machine:
        try:
            return _cubin_ptx(image.data, capability)
        except NoUnitsError:
            pass
        except NoPtxError as error:
            failure = error
    for image in images:
        if image.kind == fatbin.PTX and (capability is None or image.arch <= capability):
            text = _text(image.data)
            if not targets.misfit(text, capability):
                return [text]
    if failure is not None:
        raise failure
    has = fatbin.contents(data)
    if images and not machine and capability is not None:
        raise NoPtxError(f"the fatbin has nothing for compute capability {targets.spell(capability)}, but {has}")
    raise NoPtxError(f"the fatbin has no PTX, which the CPU device needs, but {has}: {_FATBIN_ADVICE}")
