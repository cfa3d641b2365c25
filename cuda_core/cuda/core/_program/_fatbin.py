# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""make_fatbin(): fat binaries, code for several architectures in one image, by nvFatbin."""

from __future__ import annotations

import re
from typing import Any

from cuda.core._errors import NvFatbinError, compiler_error
from cuda.core._program._module import ObjectCode

_TARGET = re.compile(rb"^\s*\.target\s+sm_(\d+[af]?)", re.MULTILINE)
# Offsets of the ABI version, machine and flags in a 64-bit ELF header; LLVM's ELF.h: EM_CUDA, EF_CUDA_SM.
_ABI, _MACHINE, _FLAGS, _HEADER = 8, 18, 48, 64
_EM_CUDA = 190
_OLD_ABI = 7  # up to this ABI version the architecture is in the lowest byte of the flags, in newer ones in the second


def make_fatbin(
    *object_codes: ObjectCode | tuple[ObjectCode, str], name: str = "", compress: bool = True
) -> ObjectCode:
    """Combine code for several architectures in a fat binary (nvFatbin).

    When it is loaded (`ObjectCode.get_kernel`, `Module`), the driver uses the machine code for the device if there
    is any, else it compiles the PTX for the newest architecture that the device supports.

    Parameters
    ----------
    *object_codes : ObjectCode or (ObjectCode, str)
        PTX and cubins of the same kernels. The architecture is read from the code; give a pair with the
        architecture, as ``(code, "sm_90a")``, for LTO-IR, which does not contain it, and for cubins of a suffixed
        architecture.
    name : str
        The name of the result.
    compress : bool
        Whether to compress the code.

    Returns
    -------
    ObjectCode
        Of type ``"fatbin"``; its `code` can be written to a file for `ObjectCode.from_fatbin`.

    Raises
    ------
    TypeError
        If an input is not an ObjectCode.
    ValueError
        If there is no input, or one is of another type of code or of an unknown architecture.
    NvFatbinError
        If nvFatbin refuses the code.

    Examples
    --------
    >>> parts = [Program(source, "c++", ProgramOptions(arch=arch)).compile("ptx") for arch in ("sm_75", "sm_90")]
    >>> make_fatbin(*parts).get_kernel("scale").num_arguments
    3
    """
    from cuda.bindings import nvfatbin

    if not object_codes:
        raise ValueError("give one or more ObjectCodes to put into the fat binary")
    entries = [_entry(item) for item in object_codes]
    options = [f"-compress={'true' if compress else 'false'}"]
    try:
        handle = nvfatbin.create(options, len(options))
        try:
            for code, arch in entries:
                _add(nvfatbin, handle, code, arch)
            data = bytearray(nvfatbin.size(handle))
            nvfatbin.get(handle, data)
        finally:
            nvfatbin.destroy(handle)
    except nvfatbin.nvFatbinError as error:
        known = ", ".join(f"{code.code_type} for sm_{arch}" for code, arch in entries)
        raise compiler_error(
            NvFatbinError, str(error), int(getattr(error, "status", 0)), "nvFatbin", f"The code was: {known}"
        ) from None
    mapping: dict[str, str] = {}
    kinds: dict[str, str] = {}
    for code, _ in entries:
        mapping.update(code.symbol_mapping)
        kinds.update(code._signatures())
    return ObjectCode._make(bytes(data), "fatbin", name, mapping, kinds)


def _entry(item: Any) -> tuple[ObjectCode, str]:
    """Return an argument's code and the number of its architecture, such as "90a"."""
    pair = item if isinstance(item, tuple) and len(item) == 2 else (item, None)
    code, arch = pair
    if not isinstance(code, ObjectCode):
        raise TypeError(f"make_fatbin takes ObjectCodes, or pairs (ObjectCode, arch), not {type(item).__name__}")
    if code.code_type not in ("ptx", "cubin", "ltoir"):
        raise ValueError(f"a fat binary is made of ptx, cubin or ltoir, not of {code.code_type}")
    if arch is not None:
        found = re.fullmatch(r"(?:sm|compute|lto)_(\d+[af]?)", arch) if isinstance(arch, str) else None
        if found is None:
            raise ValueError(f"the architecture of a pair (ObjectCode, arch) must be such as 'sm_90', not {arch!r}")
        return code, found[1]
    number = _architecture(code)
    if number is None:
        raise ValueError(f"{code!r} does not tell its architecture: give a pair, such as (code, 'sm_90')")
    return code, number


def _architecture(code: ObjectCode) -> str | None:
    data = code._bytes()
    if code.code_type == "ptx":
        found = _TARGET.search(data)
        return found[1].decode() if found else None
    is_cubin = len(data) >= _HEADER and data.startswith(b"\x7fELF")
    if code.code_type != "cubin" or not is_cubin or int.from_bytes(data[_MACHINE : _MACHINE + 2], "little") != _EM_CUDA:
        return None
    flags = int.from_bytes(data[_FLAGS : _FLAGS + 4], "little")
    return str((flags if data[_ABI] <= _OLD_ABI else flags >> 8) & 0xFF)


def _add(nvfatbin: Any, handle: Any, code: ObjectCode, arch: str) -> None:
    data, name = code._bytes(), code.name or code.code_type
    if code.code_type == "ptx" and not data.endswith(b"\0"):
        data += b"\0"
    if code.code_type == "cubin":
        nvfatbin.add_cubin(handle, data, len(data), arch, name)
    else:
        add = nvfatbin.add_ptx if code.code_type == "ptx" else nvfatbin.add_ltoir
        add(handle, data, len(data), arch, name, "")
