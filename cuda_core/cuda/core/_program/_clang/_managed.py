# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`__managed__` variables of whole programs, for which clang has host code only with HIP.

For clang they are variables of the device, for which the host has variables without a value that stand for them. These
become the variables themselves: they get the initial values, from the PTX, and the runtime library places what kernels
see at their addresses.
"""

from __future__ import annotations

import re

from cuda.core._errors import ClangError, compiler_error

REGISTER = "__cudaRegisterManagedVarAt"  # of the runtime library: host_code.c

_MANAGED = re.compile(
    r"^\.(?:visible|weak) \.global \.attribute\(\.managed\) \.align \d+ \.(?P<type>\w+) (?P<name>[\w$]+)"
    r"(?:\[\d+\])?(?: = \{?(?P<values>[^};]*)\}?)?;",
    re.MULTILINE,
)
_NAME = r'@(?:"[^"]+"|[\w$.-]+)'
_REGISTERED = re.compile(
    rf"call void @__cudaRegisterVar\(ptr %\w+, ptr (?P<host>{_NAME}), ptr (?P<text>{_NAME}), .* i64 (?P<size>\d+), .*"
)
_DECLARED = "declare void @__cudaRegisterVar("


def has_managed(ptx: str) -> bool:
    """Return whether PTX defines managed variables."""
    return bool(_MANAGED.search(ptx))


def with_managed(ir: str, ptx: str) -> str:
    """Return the LLVM IR of host code, not optimised, with the managed variables of its PTX.

    Raises
    ------
    ClangError
        The initial value of a variable is an address, which is known only when the program runs; `log` names it.
    """
    managed = {match["name"]: match for match in _MANAGED.finditer(ptx)}

    def placed(match: re.Match[str]) -> str:
        found = managed.get(_text_of(match["text"], ir))
        if found is None:
            return match[0]
        values[match["host"]] = _bytes_of(found, int(match["size"]))
        return match[0].replace("@__cudaRegisterVar(", f"@{REGISTER}(", 1)

    values: dict[str, bytes] = {}
    ir = _REGISTERED.sub(placed, ir)
    ir = ir.replace(_DECLARED, _DECLARED.replace("@__cudaRegisterVar", f"@{REGISTER}") + _arguments(ir) + _DECLARED, 1)
    for name, data in values.items():
        found = re.search(rf"^{re.escape(name)} = (?:.* )?global (.* undef)\b", ir, re.MULTILINE)
        assert found is not None, f"the host's variable {name} is not found"
        text = "".join(f"\\{byte:02X}" for byte in data)
        ir = f'{ir[: found.start(1)]}[{len(data)} x i8] c"{text}"{ir[found.end(1) :]}'
    return ir


def _arguments(ir: str) -> str:
    """Return the rest of the declaration of `__cudaRegisterVar`."""
    start = ir.index(_DECLARED) + len(_DECLARED)
    return ir[start : ir.index("\n", start) + 1]


def _text_of(name: str, ir: str) -> str:
    """Return the content of a string constant."""
    found = re.search(rf'^{re.escape(name)} = .* c"([^"]*)\\00"', ir, re.MULTILINE)
    return found[1] if found else ""


def _bytes_of(variable: re.Match[str], size: int) -> bytes:
    """Return the initial value of a variable of PTX."""
    width = int(variable["type"][1:]) // 8
    words = (variable["values"] or "").replace(" ", "").split(",")
    try:
        numbers = [_number(word) for word in words if word]
    except ValueError:
        message = f"error: the initial value of __managed__ {variable['name']} is an address: assign it when it runs"
        raise compiler_error(ClangError, "CLANG_ERROR_COMPILATION", 1, "clang", message) from None
    data = b"".join((number & ((1 << 8 * width) - 1)).to_bytes(width, "little") for number in numbers)
    return data.ljust(size, b"\0")


def _number(word: str) -> int:
    """Return a number of PTX; for those of floating-point types, their bits."""
    return int(word[2:], 16) if word[:2] in ("0f", "0d", "0x") else int(word)
