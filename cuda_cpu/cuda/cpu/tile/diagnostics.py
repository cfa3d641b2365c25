# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What kernels report: print_tko and assert (Tile IR specification 13.4, chapter 9), by the runtime's services."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cuda.cpu.runtime.abi import SERVICES, WARP
from cuda.cpu.tile.elements import register_type, to_float
from cuda.cpu.tile.llvm import Index, V
from cuda.cpu.tile.lowering import Lowering
from cuda.cpu.tile.nodes import Loop, Node
from cuda.cpu.tile.syntax import Operation, Value
from cuda.cpu.tile.types import Pointer, Scalar

CONVERSION = re.compile(r"%(?:%|([-+ #0]*\d*(?:\.\d+)?)(?:hh|h|ll|l|j|z|t|L)?([a-zA-Z]))")
_FLOATS, _INTEGERS = "eEfFgGaA", "dioxXuc"
_FIRST_LANE = V("i32", "1")


def conversions(text: str) -> list[re.Match[str]]:
    """Return the conversions of a format, without "%%"."""
    return [each for each in CONVERSION.finditer(text) if each.group(2)]


def print_(low: Lowering, operation: Operation) -> None:
    """Emit print_tko. A tile is printed as nested lists; each of its elements by its conversion."""
    text, at = operation.attributes["text"], 0
    for match, value in zip(conversions(text), operation.operands["args"], strict=True):
        _literal(low, text[at : match.start()])
        _tile(low, value, match)
        at = match.end()
    _literal(low, text[at:])


def _literal(low: Lowering, text: str) -> None:
    if text:
        _printf(low, text if "%" not in text else text.replace("%%", "%").replace("%", "%%"), [])


def _tile(low: Lowering, value: Value, match: re.Match[str]) -> None:
    node = low.node(value)
    if not node.shape:
        _element(low, Loop(low.b, masked=True).at(node, (), 1, 0), node, match)
        return
    buffer = low.materialise(node)
    b, rank = low.b, len(node.shape)

    def level(depth: int, index: tuple[Index, ...]) -> None:
        if depth == rank:
            _element(low, Loop(b, masked=False).at(buffer, index, 1, rank - 1), node, match)
            return

        def inside(counter: Index) -> None:
            with b.when(b.compare("icmp ne", b.index(counter), V("i64", "0"))):
                _printf(low, ", ", [])
            level(depth + 1, (*index, counter))

        _printf(low, "[", [])
        b.loop(node.shape[depth], inside)
        _printf(low, "]", [])

    level(0, ())


def _element(low: Lowering, value: V, node: Node, match: re.Match[str]) -> None:
    """Print one element; a conversion that does not fit its type is replaced by one that does."""
    b, element, (form, letter) = low.b, node.element, match.groups()
    if isinstance(element, Scalar) and element.kind == "f":
        wide = b.convert("bitcast", to_float(b, value, element, "double"), "i64")
        _printf(low, f"%{form}{letter if letter in _FLOATS else 'f'}", [wide])
        return
    unsigned = isinstance(element, Pointer) or letter in "uoxX" or element.bits == 1
    if isinstance(element, Scalar) and 1 < element.bits < 32:  # as C promotes arguments
        value = b.convert("sext", value, "i32")
    wide = b.convert("zext" if unsigned else "sext", value, "i64")
    chosen = letter if letter in _INTEGERS and letter != "c" else "llu" if unsigned else "d"
    _printf(low, f"%{form}ll{chosen.removeprefix('ll')}", [wide])


def _string(low: Lowering, text: str) -> V:
    """Return the address of a text, which ends with a zero."""
    b, data = low.b, text.encode() + b"\0"
    quoted = "".join(f"\\{byte:02X}" for byte in data)
    name = f"@{b.name('text')}"
    b.declarations[name] = f'{name} = private constant [{len(data)} x i8] c"{quoted}"'
    return V("ptr", name)


def _slot_of(low: Lowering, value: V) -> V:
    slot = low.b.slot(value.type)
    low.b.put(slot, value)
    return slot


def _address_of(low: Lowering, pointer: V) -> V:
    """Return the address of a variable with a pointer, as services take their arguments: one for each lane."""
    return _slot_of(low, low.b.convert("ptrtoint", pointer, "i64"))


def _service(low: Lowering, name: str, *arguments: V) -> None:
    b, warp = low.b, V("ptr", "%warp")
    service = b.load("ptr", b.at(b.load("ptr", b.at(warp, WARP["runtime"]), 8), SERVICES[name]), 8)
    b.do(f"call void {service.text}({', '.join(map(str, (warp, _FIRST_LANE, *arguments)))})")


def _printf(low: Lowering, text: str, arguments: Sequence[V]) -> None:
    """Call vprintf with 8-byte arguments, of which there is one at most."""
    data = _address_of(low, _slot_of(low, arguments[0])) if arguments else _slot_of(low, V("i64", "0"))
    _service(low, "vprintf", _address_of(low, _string(low, text)), data, low.b.slot("i32"))


def assert_(low: Lowering, operation: Operation) -> None:
    """Emit assert: print the index of each element that is false, then end the launch."""
    node, b = low.node(operation.operands["condition"]), low.b
    message = operation.attributes["message"]
    register_type(node.element)
    failed = b.slot("i1")
    b.put(failed, V("i1", "false"))

    def check(loop: Loop, index: tuple[Index, ...], lanes: int, axis: int) -> None:
        value = loop.at(node, index, 1, axis)
        with b.when(b.binary("xor", value, V("i1", "true"))):
            b.put(failed, V("i1", "true"))
            if index:
                _printf(low, message.replace("%", "%%") + " at ", [])
                for number, each in enumerate(index):
                    _printf(low, f"{', ' if number else '['}%lld", [b.index(each)])
                _printf(low, "]\n", [])

    low.nest(node.shape, [node], check, lanes=1)
    with b.when(b.get(failed, "i1")):
        at = operation.location
        line = _slot_of(low, V("i32", str(at.line if at else 0)))
        names = [_address_of(low, _string(low, each)) for each in (message, at.file if at else "", low.function.name)]
        _service(low, "assert_fail", names[0], names[1], line, names[2])
