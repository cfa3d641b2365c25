# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statements of short random kernels that access memory: by indices, and in bytes of one thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.random_focus import Writer

OWN = 64  # bytes
LEAST = -20  # index that gathers use
# Lines that write an index from 0 to 15 to `$i`: random, affine, or affine except in one lane.
INDICES = [
    "and.b32 $i, %a1, 15;", "and.b32 $i, %a0, 7;", "min.u32 $i, %lane, 15;", "and.b32 $i, %lane, 15;",
    "sub.u32 $t, 31, %lane; and.b32 $i, $t, 15;", "shr.u32 $i, %lane, 1;", "and.b32 $i, %number, 15;",
    "and.b32 $i, %k, 15;",
]  # fmt: skip
# Load instruction: bytes, type, elements.
LOADS = [(1, "u8", 1), (1, "s8", 1), (2, "u16", 1), (2, "s16", 1), (4, "u32", 1), (4, "u32", 1), (4, "s32", 1),
         (8, "u64", 1), (4, "u32", 2), (4, "u32", 4), (8, "u64", 2), (2, "u16", 2), (1, "u8", 4)]  # fmt: skip


def fold(writer: Writer, registers: list[str]) -> str:
    """Return lines that store a value that depends on all given registers."""
    result, text = writer.new(), ""
    for number, register in enumerate(registers):
        parts = [register]
        if register[1] == "q":
            parts = [writer.new(), writer.new()]
            text += f" mov.b64 {{{parts[0]}, {parts[1]}}}, {register};"
        for part in parts:
            first = number == 0 and part == parts[0]
            text += f" mov.u32 {result}, {part};" if first else f" mad.lo.u32 {result}, {result}, 3, {part};"
    return f"{text} {writer.store(result)}"


def load(writer: Writer, space: str, address: str, offset: int, kind: str, count: int) -> tuple[str, list[str]]:
    """Return a load and the registers that it writes."""
    targets = [writer.new("q" if kind.endswith("64") else "r") for _ in range(count)]
    vector = "{" + ", ".join(targets) + "}" if count > 1 else targets[0]
    return f"ld{space}{f'.v{count}' * (count > 1)}.{kind} {vector}, [{address}+{offset}];", targets


def gather(writer: Writer) -> str:
    """Load by an index that is widened and scaled in one of many ways, or wraps around."""
    random, address, almost = writer.random, writer.new("q"), writer.chance(0.35)
    size, kind, count = (4, "u32", 1) if writer.chance(0.4) else random.choice(LOADS)
    index, count = writer.new(), 1 if almost else count
    scale = size * count if almost else random.choice([size * count, size * count, max(size * count, 4), 16])
    shift = LEAST if not almost and writer.chance(0.5) else 0
    text = random.choice(INDICES).replace("$i", index).replace("$t", writer.new())
    if almost:
        text = _almost_a_row(writer, index)
    text += f" add.s32 {index}, {index}, {shift};" if shift else ""
    wide, base = _widened(writer, index, scale, shift)
    other = "%in"
    if base:
        other = writer.new("q")
        text += f" add.s64 {other}, %in, {base};"
    if not almost and writer.chance(0.2):  # each lane has a base of its own
        own = writer.new("q")
        text += f" mul.wide.u32 {own}, %lane, 16; add.s64 {own}, {own}, {other};"
        other = own
    text += f" {wide} add.s64 {address}, {writer.choice(f'{address}, {other}', f'{other}, {address}')};"
    text = text.replace("$q", address)
    at = scale * random.choice([0, 0, 1, 2])
    if scale == 16 and kind == "u32" and count == 1 and writer.chance(0.6):
        return writer.some(text + _beside(writer, address))
    loads, targets = load(writer, ".global", address, at, kind, count)
    text = f"{text} {loads} {fold(writer, targets)}"
    return writer.some(text) if writer.chance(0.6) else text


def _almost_a_row(writer: Writer, index: str) -> str:
    """Return lines that write the lane's number, except in one or two lanes."""
    random, other, predicate = writer.random, writer.new(), writer.new("p")
    lane = random.choice(["eq.u32 $p, %lane, 31"] * 4 + ["eq.u32 $p, %lane, 0", "eq.u32 $p, %lane, 16",
                         "gt.u32 $p, %lane, 29", f"eq.u32 $p, %lane, {random.randrange(32)}"])  # fmt: skip
    return (
        f"setp.{lane.replace('$p', predicate)}; add.s32 {other}, %lane, {random.choice([-1, -1, -1, 1, -2, 4])};"
        f" selp.b32 {index}, {other}, %lane, {predicate}; max.s32 {index}, {index}, 0; min.s32 {index}, {index}, 35;"
    )


def _widened(writer: Writer, index: str, scale: int, shift: int) -> tuple[str, int]:
    """Return lines that scale an index to `$q`, and the displacement that compensates a shifted index, or 0."""
    bits, signs = scale.bit_length() - 1, writer.choice("u", "s", "s")
    base = -shift * scale if signs == "s" or not shift else -((1 << 32) + shift) * scale
    form = writer.random.choice([0, 1, 2, 2, 3, 4, 4, 4, 5])
    if form == 0:
        return _scaled(writer, index, scale, signs), base
    if form == 1:
        return f"mad.wide.{signs}32 $q, {index}, {scale}, 0; add.s64 $q, $q, 0;", base
    if form == 2 and not shift and bits:  # upper bits that are shifted out, of 32 or 16
        scaled, full, at, width = writer.new(), writer.new(), writer.take(4), writer.random.choice([32, 16, 16])
        text = f"shl.b32 {full}, {writer.source()}, {width - bits}; or.b32 {full}, {full}, {index};"
        if width == 16:
            text += f" st.global.u16 [%out+{at}], {full}; ld.global.u16 {full}, [%out+{at}];"
        scaling = writer.choice(f"shl.b32 {scaled}, {full}, {bits};", f"mul.lo.u32 {scaled}, {full}, {scale};")
        return f"{text} {scaling} cvt.u64.u{width} $q, {scaled};", 0
    if form == 3:  # from 16 bits
        half, wide = writer.new("h"), writer.new()
        base = base if signs == "s" or not shift else -((1 << 16) + shift) * scale
        return (
            f"cvt.u16.u32 {half}, {index}; mul.wide.{signs}16 {wide}, {half}, {scale};"
            f" cvt.{signs}64.{signs}32 $q, {wide};"
        ), base
    if form == 4:
        return _loaded(writer, index, scale, shift)
    return f"cvt.s64.s32 $q, {index}; mul.lo.s64 $q, $q, {scale};", -shift * scale


def _scaled(writer: Writer, index: str, scale: int, signs: str) -> str:
    return writer.choice(
        f"mul.wide.{signs}32 $q, {index}, {scale};",
        f"cvt.{signs}64.{signs}32 $q, {index}; shl.b64 $q, $q, {scale.bit_length() - 1};",
        f"cvt.{signs}64.{signs}32 $q, {index}; mul.lo.s64 $q, $q, {scale};",
    )


def _loaded(writer: Writer, index: str, scale: int, shift: int) -> tuple[str, int]:
    """Do the same with an index loaded from memory with fewer bits, signed or unsigned."""
    width, narrow, at = writer.choice("8", "16"), writer.new(), writer.take(4)
    in_memory, signs = writer.random.choice(["uu", "us", "ss", "su", "su"])
    if in_memory == "u":
        base = -((1 << int(width)) + shift) * scale if shift else 0
    else:
        base = -shift * scale if signs == "s" or not shift else -((1 << 32) + shift) * scale
    text = f"st.global.u{width} [%out+{at}], {index}; ld.global.{in_memory}{width} {narrow}, [%out+{at}];"
    return f"{text} {_scaled(writer, narrow, scale, signs)}", base


def _beside(writer: Writer, base: str) -> str:
    """Return loads of adjacent words, in any order, with other instructions between them."""
    random = writer.random
    offsets = random.choice([[0, 4, 8, 12], [12, 8, 4, 0], [4, 0, 12, 8], [0, 8, 4, 16], [0, 4, 4, 8], [0, 4], [4, 0]])
    between, text, found = random.choice(["", "", "base", "store", "other"]), "", []
    at = random.randrange(1, len(offsets))
    other = writer.new("q")
    text += f" add.s64 {other}, {base}, 20;"
    for number, offset in enumerate(offsets):
        if number == at:
            text += f" add.s64 {base}, {base}, 16;" if between == "base" else ""
            text += f" st.global.u32 [%out+{writer.take(4)}], 5;" if between == "store" else ""
        one, targets = load(writer, ".global", other if between == "other" and number >= at else base, offset, "u32", 1)
        text, found = f"{text} {one}", found + targets
    return text + fold(writer, found)


def own(writer: Writer) -> str:
    """Read and write 64 bytes of the thread's own in any order and size, at constant offsets or by an index."""
    random, text, found = writer.random, "", []
    space = random.choice(["global", "global", "shared", "local", "generic"])
    letter = "q" if space in ("global", "generic") else "r"
    base, where = writer.new(letter), random.choice(["shared", "local"]) if space == "generic" else space
    if space == "global":
        text = f"add.s64 {base}, %out, {writer.take(16)};"
        for _ in range(OWN // 16 - 1):
            writer.take(16)
    else:
        name = writer.variable(where, OWN * (writer.threads if where == "shared" else 1), 16)
        offset = writer.new()
        text = f"mov.u32 {offset}, {name};" + f" mad.lo.u32 {offset}, %tid, {OWN}, {offset};" * (where == "shared")
        text += f" mov.u32 {base}, {offset};" if letter == "r" else ""
        if space == "generic":
            which, bit = writer.new("p"), writer.new()
            text += (
                f" cvt.u64.u32 {base}, {offset}; cvta.{where}.u64 {base}, {base};"
                f" isspacep.{writer.choice('global', 'local', 'shared')} {which}, {base};"
                f" selp.b32 {bit}, 1, %lane, {which}; {writer.store(bit)}"
            )
            back = writer.new("q")
            text += f" cvta.to.{where}.u64 {back}, {base}; cvt.u32.u64 {bit}, {back}; sub.u32 {bit}, {bit}, {offset};"
            text += f" {writer.store(bit)}"
    prefix = "" if space == "generic" else f".{space}"
    for offset in range(0, OWN, 16):
        text += f" st{prefix}.v4.u32 [{base}+{offset}], {{{', '.join(writer.source() for _ in range(4))}}};"
    if writer.chance(0.4):  # addresses below the register, too
        further = writer.new(letter)
        text += f" add.s{64 if letter == 'q' else 32} {further}, {base}, 32;"
        addresses = [(base, 0), (further, -32)]
    else:
        addresses = [(base, 0)]
    body = _updated(writer, prefix, base, found) if writer.chance(0.4) else ""
    words = writer.chance(0.4)
    moved = 0  # the increment of the first address
    for _ in range(random.randrange(4, 9)):
        address, below = random.choice(addresses)
        if writer.chance(0.2):
            body, moved = f"{body} add.s{64 if letter == 'q' else 32} {base}, {base}, 4;", moved + 4
        below -= moved if address == base else 0
        size, kind, count = (4, "u32", 1) if words else random.choice(LOADS)
        at = random.choice(range(0, OWN // random.choice([1, 4, 4]), size * count))
        if writer.chance(0.25):
            index = writer.new(letter)
            body += _indexed(writer, index, base, letter, size * count)
            address, below, at = index, -moved, 0
        if writer.chance(0.5):
            one, targets = load(writer, prefix, address, at + below, kind, count)
            body, found = f"{body} {one}", found + targets
        else:
            body += _stored(writer, prefix, address, at + below, kind, count)
    body += fold(writer, found) if found else ""
    body += f" sub.s{64 if letter == 'q' else 32} {base}, {base}, {moved};" if moved else ""
    text += writer.some(body)
    last, targets = load(writer, prefix, base, 16 * random.randrange(OWN // 16), "u32", 4)
    return f"{text} {last} {fold(writer, targets)}"


def _updated(writer: Writer, space: str, base: str, found: list[str]) -> str:
    """Return loads and stores of adjacent words in turns, some of them of a word that was stored before."""
    random, text = writer.random, ""
    offsets = random.choice([[0, 4, 8, 12], [12, 8, 4, 0], [8, 0, 4, 12], [4, 0, 12], [4, 8]])
    for offset in offsets:
        for loads in random.choice([[True, False], [True, False], [False, True], [False]]):
            if not loads:
                text += _stored(writer, space, base, offset, "u32", 1)
                continue
            if space == ".global" and writer.chance(0.5):
                one, targets = load(writer, space, "%in", offset, "u32", 1)
                text, found[:] = f"{text} {one}", found + targets
            one, targets = load(writer, space, base, random.choice([offset, offset, offset, 0]), "u32", 1)
            text, found[:] = f"{text} {one}", found + targets
    return text


def _indexed(writer: Writer, index: str, base: str, letter: str, size: int) -> str:
    """Return lines that write the address of one of four elements, chosen by a value."""
    number, most = writer.new(), OWN // max(size, 4) - 1
    text = f" and.b32 {number}, {writer.choice('%a1', '%a0', '%lane', '%k')}, {min(most, 3)};"
    if letter == "r":
        return f"{text} mad.lo.u32 {index}, {number}, {size}, {base};"
    return text + writer.choice(
        f" mad.wide.u32 {index}, {number}, {size}, {base};",
        f" mul.wide.u32 {index}, {number}, {size}; add.s64 {index}, {index}, {base};",
        f" cvt.u64.u32 {index}, {number}; shl.b64 {index}, {index}, {size.bit_length() - 1};"
        f" add.s64 {index}, {index}, {base};",
    )


def _stored(writer: Writer, space: str, address: str, offset: int, kind: str, count: int) -> str:
    text, sources = "", []
    for _ in range(count):
        sources.append(writer.operand() if kind != "u64" else writer.new("q"))
        if kind == "u64":
            text += f" mov.b64 {sources[-1]}, {{{writer.source()}, {writer.source()}}};"
    vector = "{" + ", ".join(sources) + "}" if count > 1 else sources[0]
    guard = ""
    if writer.chance(0.2):
        predicate = writer.new("p")
        text, guard = f" {writer.condition(predicate)}{text}", f"@{'!' * writer.chance(0.5)}{predicate} "
    return f"{text} {guard}st{space}{f'.v{count}' * (count > 1)}.{kind} [{address}+{offset}], {vector};"


# Lines that write to `$i` the thread whose element a thread writes: a permutation.
TARGETS = ["mov.u32 $i, %all;", "mov.u32 $i, %all;", "xor.b32 $i, %all, 1;", "xor.b32 $i, %all, 5;",
          "xor.b32 $i, %all, 31;", "xor.b32 $i, %all, 16;",
          "setp.gt.u32 $p, %lane, 29; selp.b32 $i, 1, 0, $p; xor.b32 $i, %all, $i;",
          "setp.lt.u32 $p, %lane, 2; selp.b32 $i, 1, 0, $p; xor.b32 $i, %all, $i;"]  # fmt: skip


def scatter(writer: Writer) -> str:
    """Store to the element of another thread, each thread to a different one."""
    start = writer.take_row()
    if start is None:
        return gather(writer)
    index, address = writer.new(), writer.new("q")
    size = writer.random.choice([1, 2, 4, 4, 8])
    text = writer.random.choice(TARGETS).replace("$i", index).replace("$p", writer.new("p"))
    text += f" mul.wide.u32 {address}, {index}, {size}; add.s64 {address}, {address}, %rows;"
    text += f" add.s64 {address}, {address}, {start};"
    value = writer.operand()
    if size == 8:
        wide = writer.new("q")
        text, value = f"{text} mov.b64 {wide}, {{{writer.source()}, {writer.source()}}};", wide
    return f"{text} " + writer.some(f"st.global.u{8 * size} [{address}], {value};")
