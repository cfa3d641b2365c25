# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Control flow, section 9.7.12; synchronisation and warps, 9.7.13; stack, 9.7.17; miscellaneous, 9.7.19."""

from cuda.cpu.ptx.row import Row

_C = "control"
_S = "sync"
_W = "warp"
_B = "mbarrier"
_L = "cluster"
_MBAR = "shared shared::cta"
_MBAR_CLUSTER = "shared shared::cta shared::cluster"

ROWS = (
    # 9.7.12; calls are syntax.Call, not instructions
    Row("9.7.12.2", _C, "bra{.uni} target"),
    Row("9.7.12.3", _C, "brx.idx{.uni} index, list"),
    Row("9.7.12.5", _C, "ret{.uni} "),
    Row("9.7.12.6", _C, "exit "),
    # 9.7.13.1 to 9.7.13.3: barriers. A reduction is two rows, since what may be left out stands in its middle.
    Row("9.7.13.1", _S, "bar{.cta}.op a{, b}", op="sync"),
    Row("9.7.13.1", _S, "bar{.cta}.op a, b", op="arrive"),
    Row("9.7.13.1", _S, "bar{.cta}.red.op.type d, a, {!}c", op="popc", type="u32"),
    Row("9.7.13.1", _S, "bar{.cta}.red.op.type d, a, b, {!}c", op="popc", type="u32"),
    Row("9.7.13.1", _S, "bar{.cta}.red.op.type d, a, {!}c", op="and or", type="pred"),
    Row("9.7.13.1", _S, "bar{.cta}.red.op.type d, a, b, {!}c", op="and or", type="pred"),
    Row("9.7.13.1", _S, "barrier{.cta}.op{.aligned} a{, b}", op="sync"),
    Row("9.7.13.1", _S, "barrier{.cta}.op{.aligned} a, b", op="arrive"),
    Row("9.7.13.1", _S, "barrier{.cta}.red.op{.aligned}.type d, a, {!}c", op="popc", type="u32"),
    Row("9.7.13.1", _S, "barrier{.cta}.red.op{.aligned}.type d, a, b, {!}c", op="popc", type="u32"),
    Row("9.7.13.1", _S, "barrier{.cta}.red.op{.aligned}.type d, a, {!}c", op="and or", type="pred"),
    Row("9.7.13.1", _S, "barrier{.cta}.red.op{.aligned}.type d, a, b, {!}c", op="and or", type="pred"),
    Row("9.7.13.2", _S, "bar.warp.sync membermask"),
    Row("9.7.13.3", _S, "barrier.cluster.op{.sem}{.aligned} ", op="arrive wait", sem="release relaxed acquire"),
    # 9.7.13.8 to 9.7.13.14: warps
    # Without .sync, those lanes exchange that are here: PTX has it for targets below sm_70.
    Row("9.7.9.5", _W, "shfl.mode.type d{|p}, a, b, c", mode="up down bfly idx", type="b32"),
    Row("9.7.9.6", _W, "shfl.sync.mode.type d{|p}, a, b, c, membermask", mode="up down bfly idx", type="b32"),
    Row("9.7.13.8", _W, "vote.mode.type d, {!}a", mode="all any uni", type="pred"),
    Row("9.7.13.8", _W, "vote.mode.type d, {!}a", mode="ballot", type="b32"),
    Row("9.7.13.9", _W, "vote.sync.mode.type d, {!}a, membermask", mode="all any uni", type="pred"),
    Row("9.7.13.9", _W, "vote.sync.mode.type d, {!}a, membermask", mode="ballot", type="b32"),
    Row("9.7.13.10", _W, "match.mode.sync.type d, a, membermask", mode="any", type="b32 b64"),
    Row("9.7.13.10", _W, "match.mode.sync.type d{|p}, a, membermask", mode="all", type="b32 b64"),
    Row("9.7.13.11", _W, "activemask.type d", type="b32"),
    Row("9.7.13.12", _W, "redux.sync.op.type d, a, membermask", op="add min max", type="u32 s32"),
    Row("9.7.13.12", _W, "redux.sync.op.type d, a, membermask", op="and or xor", type="b32"),
    Row("9.7.13.12", _W, "redux.sync.op{.abs}{.NaN}.type d, a, membermask", op="min max", type="f32"),
    Row("9.7.13.13", _S, "griddepcontrol.op ", op="launch_dependents wait"),
    Row("9.7.13.14", _W, "elect.sync d|p, membermask"),
    # 9.7.13.15: mbarrier
    Row("9.7.13.15.9", _B, "mbarrier.init{.space}.type [a], count", space=_MBAR, type="b64"),
    Row("9.7.13.15.10", _B, "mbarrier.inval{.space}.type [a]", space=_MBAR, type="b64"),
    Row(
        "9.7.13.15.11",
        _B,
        "mbarrier.expect_tx{.sem}{.scope}{.space}.type [a], count",
        sem="relaxed",
        space=_MBAR_CLUSTER,
        type="b64",
    ),
    Row(
        "9.7.13.15.12",
        _B,
        "mbarrier.complete_tx{.sem}{.scope}{.space}.type [a], count",
        sem="relaxed",
        space=_MBAR_CLUSTER,
        type="b64",
    ),
    Row(
        "9.7.13.15.13",
        _B,
        "mbarrier.arrive{.sem}{.scope}{.space}.type d, [a]{, count}",
        sem="release relaxed",
        space=_MBAR_CLUSTER,
        type="b64",
    ),
    Row(
        "9.7.13.15.13",
        _B,
        "mbarrier.arrive.op{.sem}{.scope}{.space}.type d, [a], count",
        op="expect_tx noComplete",
        sem="release relaxed",
        space=_MBAR_CLUSTER,
        type="b64",
    ),
    Row(
        "9.7.13.15.14",
        _B,
        "mbarrier.arrive_drop{.sem}{.scope}{.space}.type d, [a]{, count}",
        sem="release relaxed",
        space=_MBAR_CLUSTER,
        type="b64",
    ),
    Row(
        "9.7.13.15.14",
        _B,
        "mbarrier.arrive_drop.op{.sem}{.scope}{.space}.type d, [a], count",
        op="expect_tx noComplete",
        sem="release relaxed",
        space=_MBAR_CLUSTER,
        type="b64",
    ),
    Row("9.7.13.15.15", "copies", "cp.async.mbarrier.arrive{.noinc}{.space}.type [a]", space=_MBAR, type="b64"),
    Row(
        "9.7.13.15.16",
        _B,
        "mbarrier.test_wait{.parity}{.sem}{.scope}{.space}.type p, [a], state",
        sem="acquire relaxed",
        space=_MBAR,
        type="b64",
    ),
    Row(
        "9.7.13.15.16",
        _B,
        "mbarrier.try_wait{.parity}{.sem}{.scope}{.space}.type p, [a], state{, hint}",
        sem="acquire relaxed",
        space=_MBAR,
        type="b64",
    ),
    Row("9.7.13.15.17", _B, "mbarrier.pending_count.type d, a", type="b64"),
    # 9.7.13.15.19, 9.7.13.15.20: launches of clusters (sm_100)
    Row(
        "9.7.13.15.19",
        _L,
        "clusterlaunchcontrol.try_cancel.async{.space}.mbarrier::complete_tx::bytes{.multicast::cluster::all}.type "
        "[a], [mbar]",
        space="shared::cta",
        type="b128",
    ),
    Row("9.7.13.15.20", _L, "clusterlaunchcontrol.query_cancel.is_canceled.pred.type p, a", type="b128"),
    Row(
        "9.7.13.15.20",
        _L,
        "clusterlaunchcontrol.query_cancel.field.v4.b32.type d..., a",
        field="get_first_ctaid",
        type="b128",
    ),
    Row(
        "9.7.13.15.20",
        _L,
        "clusterlaunchcontrol.query_cancel.field.b32.type d, a",
        field="get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z",
        type="b128",
    ),
    # 9.7.17: stack
    Row("9.7.17.1", _C, "stacksave.type d", type="u32 u64"),
    Row("9.7.17.2", _C, "stackrestore.type a", type="u32 u64"),
    Row("9.7.17.3", _C, "alloca.type d, size{, align}", type="u32 u64"),
    # 9.7.19
    Row("9.7.19.1", _C, "brkpt "),
    Row("9.7.19.2", _C, "nanosleep.type a", type="u32"),
    Row("9.7.19.3", _C, "pmevent{.mask} a"),
    Row("9.7.19.4", _C, "trap "),
    Row("9.7.19.5", _C, "setmaxnreg.op.sync.aligned.type n", op="inc dec", type="u32"),
)
