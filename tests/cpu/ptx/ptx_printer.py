# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write parsed PTX as text again, to be parsed once more."""

from __future__ import annotations

import re

from cuda.cpu.ptx.syntax import (
    Address,
    BranchTargets,
    Call,
    CallTargets,
    Function,
    Immediate,
    Instruction,
    Label,
    Module,
    Negated,
    Operand,
    Pair,
    Prototype,
    Register,
    Selected,
    Sink,
    Statement,
    Symbol,
    Variable,
    Vector,
)


def module_text(module: Module) -> str:
    major, minor = module.version
    parts = [f".version {major}.{minor}\n.target {module.target}\n.address_size {module.address_size}\n"]
    parts += [variable_text(variable) + ";\n" for variable in module.variables.values()]
    parts += [function_text(function) for function in module.functions.values()]
    parts += [f".alias {alias}, {target};\n" for alias, target in module.aliases.items()]
    # The parser's suffixes of names in nested scopes, x@1, are no PTX; guards, @%p, are.
    return re.sub(r"(?<=[\w$])@(?=\d)", "$scope", "".join(parts))


def variable_text(variable: Variable) -> str:
    words = [f".{variable.linkage}"] if variable.linkage else []
    words += [f".{variable.space}"]
    if "managed" in variable.attributes:
        words.append(".attribute(.managed)")
    vector = f".v{variable.vector} " if variable.vector > 1 else ""
    words += [f".align {variable.align}", f"{vector}.{variable.type}"]
    if "ptr" in variable.attributes:
        space = variable.attributes["ptr"]
        words.append(".ptr" + (f" .{space}" if space != "generic" else ""))
        if "ptr_align" in variable.attributes:
            words.append(f".align {variable.attributes['ptr_align']}")
    dims = "".join(f"[{size or ''}]" for size in variable.dims)
    text = f"{' '.join(words)} {variable.name}{dims}"
    return text + (f" = {initial_text(variable)}" if variable.initializer else "")


def initial_text(variable: Variable) -> str:
    """Write the initial value of an array of bytes or 64-bit words."""
    initial = variable.initializer
    width = 8 if initial.relocations else 1
    relocations = {each.offset: each for each in initial.relocations}
    items = []
    for at in range(0, len(initial.data), width):
        relocation = relocations.get(at)
        if relocation is not None:
            items.append(f"{relocation.symbol}+{relocation.addend}")
        else:
            items.append(str(int.from_bytes(initial.data[at : at + width], "little")))
    return "{" + ", ".join(items) + "}"


def function_text(function: Function) -> str:
    words = [f".{function.linkage}"] if function.linkage else []
    words.append(".entry" if function.entry else ".func")
    if function.results:
        words.append(f"({', '.join(map(variable_text, function.results))})")
    words.append(f"{function.name}({', '.join(map(variable_text, function.parameters))})")
    for name, value in function.directives.items():
        numbers = "" if value is True else " " + ", ".join(map(str, value if isinstance(value, tuple) else (value,)))
        words.append(f".{name}{numbers}")
    head = " ".join(words)
    if function.body is None:
        return head + ";\n"
    lines = [f".reg .{kind} {name};" for name, kind in function.registers.items()]
    lines += [variable_text(variable) + ";" for variable in function.variables.values()]
    lines += [statement_text(statement) for statement in function.body]
    return head + "\n{\n" + "\n".join(lines) + "\n}\n"


def statement_text(statement: Statement) -> str:
    match statement:
        case Label(name):
            return f"{name}:"
        case BranchTargets(name, labels):
            return f"{name}: .branchtargets {', '.join(labels)};"
        case CallTargets(name, functions):
            return f"{name}: .calltargets {', '.join(functions)};"
        case Prototype(name, results, parameters):
            lists = [f"({', '.join(map(variable_text, each))})" for each in (results, parameters)]
            return f"{name}: .callprototype {lists[0]} _ {lists[1]};"
        case Call():
            return guard_text(statement) + call_text(statement)
        case Instruction():
            word = ".".join((statement.opcode, *statement.modifiers))
            return f"{guard_text(statement)}{word} {', '.join(map(operand_text, statement.operands))};"
    raise TypeError(statement)


def guard_text(statement: Instruction | Call) -> str:
    if statement.guard is None:
        return ""
    return f"@{'!' if statement.guard.negated else ''}{statement.guard.register} "


def call_text(call: Call) -> str:
    parts = [f"({', '.join(map(operand_text, call.results))})"] if call.results else []
    parts += [operand_text(call.target), f"({', '.join(map(operand_text, call.arguments))})"]
    parts += [call.prototype] if call.prototype else []
    return f"call{'.uni' if call.uniform else ''} {', '.join(parts)};"


def operand_text(operand: Operand | None) -> str:
    match operand:
        case None | Sink():
            return "_"
        case Register(name):
            return name
        case Immediate(value, "int"):
            return str(value)
        case Immediate(value, kind):
            return f"0f{value:08X}" if kind == "f32" else f"0d{value:016X}"
        case Symbol(name, offset):
            return f"{name}+{offset}" if offset else name
        case Address(base, offset, coordinates):
            inner = f"{operand_text(base)}+{offset}" if base is not None else str(offset)
            return "[" + ", ".join([inner, *map(operand_text, coordinates)]) + "]"
        case Vector(elements):
            return "{" + ", ".join(map(operand_text, elements)) + "}"
        case Pair(first, second):
            return f"{operand_text(first)}|{operand_text(second)}"
        case Negated(register):
            return "!" + register.name
        case Selected(register, part, negated):
            return f"{'-' * negated}{register.name}{'.' * bool(part)}{part}"
    raise TypeError(operand)
