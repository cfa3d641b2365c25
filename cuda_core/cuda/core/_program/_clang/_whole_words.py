# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Command lines of `python -m cuda.cpu cc`, split into options with their values, and lists into their parts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from cuda.core._program._clang import _whole_names as names

_OWN = re.compile(r"-[fW]")  # clang's own options, whose values are part of them


class UsageError(Exception):
    """The command line is wrong; the message says what to change."""


def options_of(rest: list[str], files: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield each option with its value, and each input as ("", path); `files` are the files of options being read."""
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            yield "", word
            continue
        name, equals, value = word.partition("=")
        known = names.known_name(name)
        joined = next(filter(word.startswith, names.JOINED), "")
        if known == "-Werror":  # nvcc's has a value, clang's has none
            follows = not equals and bool(rest) and set(rest[0].split(",")) <= names.ERRORS.keys()
            yield known, rest.pop(0) if follows else value
        elif known == "-optf":
            yield from _of_files(_value(word, equals, value, rest), files)
        elif known in names.TAKE_VALUES:
            yield known, _value(word, equals, value, rest)
        elif known in names.TAKE_NONE and equals:
            raise UsageError(f"{word}: {known} takes no value")
        elif known in names.KNOWN:
            yield known, value
        elif joined and not _OWN.match(word) and (joined != "-t" or word[2:].isdigit()):
            yield joined, word[len(joined) :]
        else:
            yield word, ""


def _value(word: str, equals: str, value: str, rest: list[str]) -> str:
    if equals:
        return value
    if not rest:
        raise UsageError(f"{word} lacks its value")
    return rest.pop(0)


def _of_files(value: str, files: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the options that files contain."""
    for path in listed(value):
        if path in files:
            raise UsageError(f"-optf: {path} includes itself")
        try:
            with open(path) as file:
                words = shlex.split(file.read())
        except (OSError, ValueError) as error:
            raise UsageError(f"-optf: {path} is not readable: {getattr(error, 'strerror', None) or error}") from None
        yield from options_of(words, (*files, path))


def listed(value: str) -> list[str]:
    r"""Return the parts of a list, which commas separate outside of quotes and parentheses; `\,` is a comma."""
    return [part.replace("\\,", ",") for part in re.findall(r'((?:\\.|"[^"]*"|\([^()]*\)|[^,])+)', value)]
