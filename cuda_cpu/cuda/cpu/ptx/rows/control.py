# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Control flow, section 9.7.12; synchronisation and warps, section 9.7.13; miscellaneous, section 9.7.19."""

from cuda.cpu.ptx.instructions import Row

_C = "control"
_S = "sync"
_W = "warp"

ROWS = (
    Row("9.7.12.2", _C, "bra{.uni} target"),
    Row("9.7.12.3", _C, "brx.idx{.uni} index, list"),
    Row("9.7.12.5", _C, "ret{.uni} "),
    Row("9.7.12.6", _C, "exit "),
    Row("9.7.13.1", _S, "bar{.cta}.op a{, b}", op="sync arrive"),
    Row("9.7.13.1", _S, "barrier{.cta}.op{.aligned} a{, b}", op="sync arrive"),
    Row("9.7.13.2", _S, "bar.warp.sync membermask"),
    Row("9.7.9.6", _W, "shfl.sync.mode.type d{|p}, a, b, c, membermask", mode="up down bfly idx", type="b32"),
    Row("9.7.13.9", _W, "vote.sync.mode.type d, {!}a, membermask", mode="all any uni", type="pred"),
    Row("9.7.13.9", _W, "vote.sync.mode.type d, {!}a, membermask", mode="ballot", type="b32"),
    Row("9.7.13.10", _W, "match.mode.sync.type d, a, membermask", mode="any", type="b32 b64"),
    Row("9.7.13.10", _W, "match.mode.sync.type d{|p}, a, membermask", mode="all", type="b32 b64"),
    Row("9.7.13.11", _W, "activemask.type d", type="b32"),
    Row("9.7.13.12", _W, "redux.sync.op.type d, a, membermask", op="add min max", type="u32 s32"),
    Row("9.7.13.12", _W, "redux.sync.op.type d, a, membermask", op="and or xor", type="b32"),
    Row("9.7.19.4", _C, "trap "),
    Row("9.7.19.1", _C, "brkpt "),
    Row("9.7.19.2", _C, "nanosleep.type a", type="u32"),
)
