# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rows of control flow, 9.7.13; barriers and warps, 9.7.14; stack, 9.7.18; miscellaneous, 9.7.20."""

from cuda.cpu.ptx.ranges import ALIGNMENT, ANY, FLAG, POSITIVE, SOME_THREADS, THREADS, between
from cuda.cpu.ptx.row import Row, Traits

_C = "control"
_S = "sync"
_W = "warp"
_B = "mbarrier"
_L = "cluster"
_MBAR = "shared shared::cta"
_MBAR_CLUSTER = "shared shared::cta shared::cluster"

ROWS = (
    # 9.7.13; calls are `syntax.Call`, not instructions
    Row("9.7.13.3", _C, "bra{.uni} target"),
    Row("9.7.13.4", _C, "brx.idx{.uni} index, list"),
    Row("9.7.13.6", _C, "ret{.uni} "),
    Row("9.7.13.7", _C, "exit "),
    # 9.7.14.1 to 9.7.14.3: barriers. A reduction has two rows, since its optional operand is in the middle.
    Row("9.7.14.1", _S, "bar{.cta}.op a{, b}", op="sync"),
    Row("9.7.14.1", _S, "bar{.cta}.op a, b", op="arrive"),
    Row("9.7.14.1", _S, "bar{.cta}.red.op.type d, a, {!}c", op="popc", type="u32"),
    Row("9.7.14.1", _S, "bar{.cta}.red.op.type d, a, b, {!}c", op="popc", type="u32"),
    Row("9.7.14.1", _S, "bar{.cta}.red.op.type d, a, {!}c", op="and or", type="pred"),
    Row("9.7.14.1", _S, "bar{.cta}.red.op.type d, a, b, {!}c", op="and or", type="pred"),
    Row("9.7.14.1", _S, "barrier{.cta}.op{.aligned} a{, b}", op="sync"),
    Row("9.7.14.1", _S, "barrier{.cta}.op{.aligned} a, b", op="arrive"),
    Row("9.7.14.1", _S, "barrier{.cta}.red.op{.aligned}.type d, a, {!}c", op="popc", type="u32"),
    Row("9.7.14.1", _S, "barrier{.cta}.red.op{.aligned}.type d, a, b, {!}c", op="popc", type="u32"),
    Row("9.7.14.1", _S, "barrier{.cta}.red.op{.aligned}.type d, a, {!}c", op="and or", type="pred"),
    Row("9.7.14.1", _S, "barrier{.cta}.red.op{.aligned}.type d, a, b, {!}c", op="and or", type="pred"),
    Row("9.7.14.2", _S, "bar.warp.sync membermask"),
    Row("9.7.14.3", _S, "barrier.cluster.op{.sem}{.aligned} ", op="arrive wait", sem="release relaxed acquire"),
    # 9.7.14.9 to 9.7.14.15: warps
    # Without .sync, the active lanes exchange values: PTX has that for targets below sm_70.
    Row("9.7.9.5", _W, "shfl.mode.type d{|p}, a, b, c", mode="up down bfly idx", type="b32"),
    Row("9.7.9.6", _W, "shfl.sync.mode.type d{|p}, a, b, c, membermask", mode="up down bfly idx", type="b32"),
    Row("9.7.14.9", _W, "vote.mode.type d, {!}a", mode="all any uni", type="pred"),
    Row("9.7.14.9", _W, "vote.mode.type d, {!}a", mode="ballot", type="b32"),
    Row("9.7.14.10", _W, "vote.sync.mode.type d, {!}a, membermask", mode="all any uni", type="pred"),
    Row("9.7.14.10", _W, "vote.sync.mode.type d, {!}a, membermask", mode="ballot", type="b32"),
    Row("9.7.14.11", _W, "match.mode.sync.type d, a, membermask", mode="any", type="b32 b64"),
    Row("9.7.14.11", _W, "match.mode.sync.type d{|p}, a, membermask", mode="all", type="b32 b64"),
    Row("9.7.14.12", _W, "activemask.type d", type="b32"),
    Row("9.7.14.13", _W, "redux.sync.op.type d, a, membermask", op="add min max", type="u32 s32"),
    Row("9.7.14.13", _W, "redux.sync.op.type d, a, membermask", op="and or xor", type="b32"),
    Row("9.7.14.13", _W, "redux.sync.op{.abs}{.NaN}.type d, a, membermask", op="min max", type="f32"),
    Row("9.7.14.14", _S, "griddepcontrol.op ", op="launch_dependents wait"),
    Row("9.7.14.15", _W, "elect.sync d|p, membermask"),
    # 9.7.14.16: mbarrier
    Row("9.7.14.16", _B, "mbarrier.init{.space}.type [a], count", space=_MBAR, type="b64"),
    Row("9.7.14.16", _B, "mbarrier.inval{.space}.type [a]", space=_MBAR, type="b64"),
    Row(
        "9.7.14.16",
        _B,
        "mbarrier.expect_tx{.sem}{.scope}{.space}.type [a], count",
        sem="relaxed",
        space=_MBAR_CLUSTER,
        type="b64",
    ),
    Row(
        "9.7.14.16",
        _B,
        "mbarrier.complete_tx{.sem}{.scope}{.space}.type [a], count",
        sem="relaxed",
        space=_MBAR_CLUSTER,
        type="b64",
    ),
    Row(
        "9.7.14.16",
        _B,
        "mbarrier.arrive{.sem}{.scope}{.space}.type d, [a]{, count}",
        sem="release relaxed",
        space=_MBAR_CLUSTER,
        type="b64",
    ),
    Row(
        "9.7.14.16",
        _B,
        "mbarrier.arrive.op{.sem}{.scope}{.space}.type d, [a], count",
        op="expect_tx noComplete",
        sem="release relaxed",
        space=_MBAR_CLUSTER,
        type="b64",
    ),
    Row(
        "9.7.14.16",
        _B,
        "mbarrier.arrive_drop{.sem}{.scope}{.space}.type d, [a]{, count}",
        sem="release relaxed",
        space=_MBAR_CLUSTER,
        type="b64",
    ),
    Row(
        "9.7.14.16",
        _B,
        "mbarrier.arrive_drop.op{.sem}{.scope}{.space}.type d, [a], count",
        op="expect_tx noComplete",
        sem="release relaxed",
        space=_MBAR_CLUSTER,
        type="b64",
    ),
    Row("9.7.14.16", "copies", "cp.async.mbarrier.arrive{.noinc}{.space}.type [a]", space=_MBAR, type="b64"),
    Row(
        "9.7.14.16",
        _B,
        "mbarrier.test_wait{.parity}{.sem}{.scope}{.space}.type p, [a], state",
        sem="acquire relaxed",
        space=_MBAR,
        type="b64",
    ),
    Row(
        "9.7.14.16",
        _B,
        "mbarrier.try_wait{.parity}{.sem}{.scope}{.space}.type p, [a], state{, hint}",
        sem="acquire relaxed",
        space=_MBAR,
        type="b64",
    ),
    Row("9.7.14.16", _B, "mbarrier.pending_count.type d, a", type="b64"),
    # 9.7.14.18, 9.7.14.19: launches of clusters (sm_100)
    Row(
        "9.7.14.18",
        _L,
        "clusterlaunchcontrol.try_cancel.async{.space}.mbarrier::complete_tx::bytes{.multicast::cluster::all}.type "
        "[a], [mbar]",
        space="shared::cta",
        type="b128",
    ),
    Row("9.7.14.19", _L, "clusterlaunchcontrol.query_cancel.is_canceled.pred.type p, a", type="b128"),
    Row(
        "9.7.14.19",
        _L,
        "clusterlaunchcontrol.query_cancel.field.v4.b32.type d..., a",
        field="get_first_ctaid",
        type="b128",
    ),
    Row(
        "9.7.14.19",
        _L,
        "clusterlaunchcontrol.query_cancel.field.b32.type d, a",
        field="get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z",
        type="b128",
    ),
    # 9.7.18: stack
    Row("9.7.18.1", _C, "stacksave.type d", type="u32 u64"),
    Row("9.7.18.2", _C, "stackrestore.type a", type="u32 u64"),
    Row("9.7.18.3", _C, "alloca.type d, size{, align}", type="u32 u64"),
    # 9.7.20
    Row("9.7.20.1", _C, "brkpt "),
    Row("9.7.20.2", _C, "nanosleep.type a", type="u32"),
    Row("9.7.20.3", _C, "pmevent{.mask} a"),
    Row("9.7.20.4", _C, "trap "),
    Row("9.7.20.5", _C, "setmaxnreg.op.sync.aligned.type n", op="inc dec", type="u32"),
)

TRAITS = {
    **dict.fromkeys(("bra", "ret", "exit", "trap"), Traits(per_lane=True)),
    "brx": Traits(per_lane=True, needs={"6.0": "*"}),
    "bar": Traits(
        immediates=True,
        types={"": {"a": "u32", "b": "u32"}},
        ranges={"": {"a": between(0, 15, 32), "b": THREADS}, "arrive": {"b": SOME_THREADS}},
        needs={"6.0": "warp", "7.8": "cta"},
    ),
    "barrier": Traits(
        immediates=True,
        types={"": {"a": "u32", "b": "u32"}},
        ranges={"": {"a": between(0, 15, 32), "b": THREADS}, "arrive": {"b": SOME_THREADS}},
        needs={
            "6.0": "*",
            "7.8": "cta",
            "8.0": "acquire/relaxed/release",
        },
    ),
    "shfl": Traits(
        collective=True, immediates=True, types={"": {"b": "b32", "c": "b32"}}, needs={"6.0": "sync", "sm_30": "*"}
    ),
    "vote": Traits(collective=True, immediates=True, needs={"6.0": "sync"}),
    "match": Traits(collective=True, types={"": {"d": "b32"}}, sinks=True, needs={"6.0": "*", "sm_70": "*"}),
    "activemask": Traits(needs={"6.2": "*"}),
    "redux": Traits(
        collective=True,
        needs={
            "7.0": "*",
            "8.6": "f32",
            "sm_80": "*",
            "sm_100f": "f32",
        },
    ),
    "griddepcontrol": Traits(needs={"7.8": "*", "sm_90": "*"}),
    "elect": Traits(collective=True, types={"": {"d": "b32"}}, needs={"8.0": "*", "sm_90": "*"}),
    "mbarrier": Traits(
        waits=True,
        types={"": {"d": "b64", "a": "b64"}, "pending_count": {"d": "b32"}, "parity": {"state": "b32"}},
        sinks=True,
        ranges={
            "arrive": {"count": POSITIVE},
            "arrive_drop": {"count": POSITIVE},
            "expect_tx": {"count": ANY},
            "noComplete": {"count": ANY},
            "parity": {"state": FLAG},
        },
        needs={
            "7.0": "*",
            "7.1": "parity",
            "7.8": "shared::cta try_wait",
            "8.0": "expect_tx/complete_tx release/relaxed/acquire",
            "sm_80": "*",
            "sm_90": "expect_tx/complete_tx try_wait",
        },
    ),
    "clusterlaunchcontrol": Traits(
        types={"": {"d": "b32", "a": "b128"}},
        needs={
            "8.6": "*",
            "sm_100": "*",
            "sm_100a+": "multicast::cluster::all",
        },
    ),
    "stacksave": Traits(needs={"7.3": "*", "sm_52": "*"}),
    "stackrestore": Traits(types={"": {"a": "%type"}}, needs={"7.3": "*", "sm_52": "*"}),
    "alloca": Traits(types={"": {"size": "type"}}, ranges={"": {"align": ALIGNMENT}}, needs={"7.3": "*", "sm_52": "*"}),
    "nanosleep": Traits(waits=True, needs={"6.2": "*", "sm_70": "*"}),
    "pmevent": Traits(types={"": {"a": "constant"}}, ranges={"mask": {"a": between(0, 65535)}}, needs={"3.0": "mask"}),
}
