# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What the decorator `ufunc` is given: the names of inputs and outputs, which are names in CUDA C++, and texts."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

# C++20, [lex.key]; those that Python has as keywords, too, are no names of parameters there, but may be of outputs.
_KEYWORDS = re.compile(
    "alignas|alignof|and|and_eq|asm|auto|bitand|bitor|bool|break|case|catch|char|char8_t|char16_t|char32_t|class|compl|"
    "concept|const|consteval|constexpr|constinit|const_cast|continue|co_await|co_return|co_yield|decltype|default|"
    "delete|do|double|dynamic_cast|else|enum|explicit|export|extern|false|float|for|friend|goto|if|inline|int|long|"
    "mutable|namespace|new|noexcept|not|not_eq|nullptr|operator|or|or_eq|private|protected|public|register|"
    "reinterpret_cast|requires|return|short|signed|sizeof|static|static_assert|static_cast|struct|switch|template|this|"
    "thread_local|throw|true|try|typedef|typeid|typename|union|unsigned|using|virtual|void|volatile|wchar_t|while|xor|"
    "xor_eq"
)


def check_texts(name: str, body: Any, source: Any) -> None:
    """Raise unless these are CUDA C++."""
    for option, given in (("body", body), ("source", source)):
        if not isinstance(given, str):
            raise TypeError(f"{name}: {option} must be a str of CUDA C++, not {type(given).__name__}")
    if not body.strip():
        raise ValueError(f"{name}: body is {body!r}, must be an expression of CUDA C++, such as 'x + y'")


def names_of_outputs(name: str, given: Any) -> list[str] | None:
    """Return the names of outputs that are given, of which one may be a text, None if there are none."""
    if given is None:
        return None
    if isinstance(given, str):
        return [given]
    if not isinstance(given, Sequence) or not all(isinstance(each, str) for each in given):
        raise TypeError(f"{name}: outputs is {given!r:.60}, must be names of outputs, such as ['low', 'high']")
    return list(given)


def inputs_of(function: Callable[..., Any]) -> list[str]:
    """Return the names of inputs: the parameters of the decorated function."""
    if not callable(function) or not hasattr(function, "__name__"):
        raise TypeError(f"ufunc: the decorator is for a function, not {function!r:.60}")
    parameters = inspect.signature(function).parameters.values()
    for each in parameters:
        if each.kind not in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) or each.default is not each.empty:
            raise TypeError(f"{function.__name__}: parameter {each} must be a plain one, without default")
    if not parameters:
        raise TypeError(f"{function.__name__} has no parameters, must have one for each input")
    return [each.name for each in parameters]


def check_names(name: str, inputs: Sequence[str], outputs: Sequence[str] | None) -> None:
    """Raise if a name is none in CUDA C++, or has another meaning there; the output of an expression is `result`."""
    if outputs is not None and (not outputs or len({*inputs, *outputs}) < len(inputs) + len(outputs)):
        raise ValueError(f"{name}: outputs is {outputs!r}, must be new names, at least one")
    taken = {f"{each}_t": f"the type of {each!r}" for each in (*inputs, *(outputs or ["result"]))}
    if outputs is None:
        taken["result"] = "the output"
    for kind, names in (("parameter", inputs), ("output", outputs or ())):
        for each in names:
            if not re.fullmatch(r"[A-Za-z_]\w*", each, re.ASCII):
                raise ValueError(f"{name}: {kind} {each!r} needs another name, of ASCII letters, digits and _")
            is_keyword = _KEYWORDS.fullmatch(each) or _KEYWORDS.fullmatch(f"{each}_t")
            if meaning := "a keyword" if is_keyword else taken.get(each):
                raise ValueError(f"{name}: {kind} {each!r} needs another name: in CUDA C++, it is {meaning}")
