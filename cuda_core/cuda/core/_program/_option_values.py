# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Values of compiler options as texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cuda.core._errors import wrong_option

# The kinds of warnings that --warning-as-error accepts.
_WARNINGS = ("all-warnings", "reorder", "deprecated-declarations", "conversion")


def as_texts(field: str, kind: str, value: Any) -> list[str]:
    """Return the texts for an option's value.

    Parameters
    ----------
    field : str
        The field of ProgramOptions.
    kind : str
        ``"macro"``: macros as NAME or NAME=VALUE. ``"warnings"``: kinds of warnings. Else one value or a list.
    value : object
        The value; None has no texts.

    Raises
    ------
    TypeError, ValueError
        The value has a wrong type, or is not among those that are known.
    """
    if value is None:
        return []
    if kind == "macro":
        return list(_macros(value))
    if kind == "warnings":
        return _warnings(field, value)
    return [as_text(field, item) for item in (value if isinstance(value, (list, tuple)) else [value])]


def _warnings(field: str, value: Any) -> list[str]:
    """Return the kinds of warnings: True is all, False none."""
    if isinstance(value, bool):
        return [_WARNINGS[0]] if value else []
    kinds = [value] if isinstance(value, str) else value
    if not isinstance(kinds, (list, tuple)) or not all(isinstance(kind, str) for kind in kinds):
        raise TypeError(f"{field} must be True, or one of {', '.join(map(repr, _WARNINGS))}, or a list, not {value!r}")
    for kind in kinds:
        if kind not in _WARNINGS:
            raise ValueError(f"{field} must be among {', '.join(map(repr, _WARNINGS))}, not {kind!r}")
    return list(kinds)


# Descriptions of valid values for error messages, where the type alone is not enough.
_FORMS = {"arch": "a str such as 'sm_90'", "std": "a str such as 'c++17'"}


def as_text(field: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        if field in _FORMS:
            raise TypeError(f"{field} must be {_FORMS[field]}, not {value!r}")
        raise TypeError(f"{field} must be a str or an int (or a list of them, where it takes several), not {value!r}")
    return str(value)


def _macros(value: Any) -> Iterator[str]:
    """Yield NAME or NAME=VALUE for a name, a pair of name and value, or a sequence of these."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple) and len(value) == 2 and all(isinstance(part, str) for part in value):
        yield f"{value[0]}={value[1]}"
    elif isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str) and not _is_macro(value[1]):
        name, number = value
        raise wrong_option(
            f"define_macro: the value of {name!r} must be a str, not {number!r}: write ({name!r}, '{number}')"
        )
    elif isinstance(value, (list, tuple)):
        for item in value:
            if isinstance(item, list):
                raise wrong_option(f"define_macro: {item!r} must be a name or a tuple (name, value)")
            yield from _macros(item)
    elif isinstance(value, dict):
        pairs = [(str(name), str(text)) for name, text in value.items()]
        raise wrong_option(f"define_macro must be a list of tuples (name, value), not a dict: write {pairs!r}")
    else:
        raise wrong_option(f"define_macro must be a name, a tuple (name, value) or a list of them, not {value!r}")


def _is_macro(value: Any) -> bool:
    return isinstance(value, (str, tuple, list))
