# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Lexer: PTX text to tokens by one regular expression. Lexical rules: PTX ISA manual, sections 4.1 to 4.5."""

from __future__ import annotations

import re
from itertools import accumulate

# Only repetitions of single characters or sets are possessive: Python before 3.11.5 matches possessive groups wrongly.
_TOKEN = re.compile(
    r"""
    # blanks, comments and the preprocessor's line markers before the token
    (\s*+(?:(?://[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*\*/|(?<![^\n])\#[ \t]*+(?:line\b)?[ \t]*+\d[^\n]*+)\s*+)*)
    (
      (?:[A-Za-z_$]|%(?=[\w$]))[\w$]*+(?:(?:\.|::)[\w$]++)*    # mov.u32  %tid.x  $L__BB0_1  _
    | \.\d++(?:[eE][+-]?\d++)?(?![\w$])                          # .5
    | \.[\w$]++(?:::[\w$]++)*                                  # .reg  .shared::cta
    | 0[fF][0-9A-Fa-f]{8} | 0[dD][0-9A-Fa-f]{16}                 # floats as bits
    | 0[xX][0-9A-Fa-f]+U? | 0[bB][01]+U?
    | \d+\.\d*(?:[eE][+-]?\d+)? | \d+[eE][+-]?\d+
    | (?:0[0-7]*+|[1-9]\d*+)U?
    | \{[ \t]*+-?(?:0|[1-9]\d*+)(?:[ \t]*+,[ \t]*+-?(?:0|[1-9]\d*+))*[ \t]*+\}    # {1, 2, 3}: one token, for speed
    | "[^"\\\n]*+(?:\\.[^"\\\n]*+)*"
    | <<|>>|<=|>=|==|!=|&&|\|\|
    | [^\s]
    | \Z
    )
    """,
    re.VERBOSE | re.ASCII,
)


def tokens_of(text: str) -> tuple[list[str], list[int]]:
    """Return the tokens and the line (from 1) of each; the last three tokens are empty, for look-ahead.

    Parameters
    ----------
    text : str
        PTX text. A character that begins no token becomes a token of its own, for the parser to refuse.
    """
    pairs = _TOKEN.findall(text)
    lines = list(accumulate((skipped.count("\n") for skipped, _ in pairs), initial=1))[1:]
    return [token for _, token in pairs] + ["", ""], lines + lines[-1:] * 2
