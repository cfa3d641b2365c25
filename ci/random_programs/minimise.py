# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Cut a program down to what still shows a difference."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator

from ci.random_programs.program import Program
from ci.random_programs.statements import Node


def _bodies(nodes: list[Node]) -> Iterator[list[Node]]:
    """Yield the lists of nodes of a tree, the outer ones first."""
    yield nodes
    for node in nodes:
        if node.body is not None:
            yield from _bodies(node.body)


def _candidates(program: Program, size: int) -> Iterator[tuple[int, int]]:
    for number, body in enumerate(_bodies(program.parts)):
        for first in range(len(body) - 1, -1, -size):
            yield number, max(first - size + 1, 0)


def minimise(program: Program, fails: Callable[[Program], bool], tries: int = 400) -> Program:
    """Return a part of a program that still `fails`: lines are removed, and blocks replaced by their lines."""
    size = 16
    while size:
        changed = False
        for number, first in list(_candidates(program, size)):
            for unwrap in (False, True) if size == 1 else (False,):
                smaller = dataclasses.replace(program, parts=copy.deepcopy(program.parts))
                bodies = list(_bodies(smaller.parts))
                if number >= len(bodies) or first >= len(bodies[number]):
                    continue
                node = bodies[number][first]
                if unwrap and node.body is None:
                    continue
                if any(each.text.startswith("return ") for each in bodies[number][first : first + size]):
                    continue  # the function's result would be undefined
                bodies[number][first : first + size] = node.body if unwrap else []
                tries -= 1
                if tries < 0:
                    return program
                if fails(smaller):
                    program, changed = smaller, True
                    break
        size = size if changed and size == 1 else size // 2
    return program
