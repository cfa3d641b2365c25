# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rows of accesses to multicast memory (multimem), section 9.7.9.15, and bulk copies to it, 9.7.9.26."""

from cuda.cpu.ptx.row import Row, Traits

_M = "multimem"
_LOAD = "multimem.ld_reduce{.sem}{.scope}{.space}.op"
_STORE = "multimem.st{.sem}{.scope}{.space}"
_REDUCE = "multimem.red{.sem}{.scope}{.space}.op"
_COPY = "multimem.cp.async.bulk.dst.src.bulk_group"
_BULK = {"dst": "global", "src": "shared::cta"}
_WHOLE = "b32 b64 u32 u64 s32 s64"
_HALVES = "f16 f16x2 bf16 bf16x2"
_BYTES = "e5m2 e5m2x2 e5m2x4 e4m3 e4m3x2 e4m3x4"  # sm_100a

_WHOLE_OPERATIONS = (("add", "u32 u64 s32"), ("min max", "u32 u64 s32 s64"), ("and or xor", "b32 b64"))


def _load(syntax: str, family: str = _M, **values: str) -> Row:
    return Row("9.7.9.15", family, _LOAD + syntax, sem="relaxed acquire weak", space="global", **values)


def _store(syntax: str, **values: str) -> Row:
    return Row("9.7.9.15", _M, _STORE + syntax, sem="relaxed release weak", space="global", **values)


def _reduce(syntax: str, **values: str) -> Row:
    return Row("9.7.9.15", _M, _REDUCE + syntax, sem="relaxed release", space="global", **values)


ROWS = (
    *(_load(".type d, [a]", op=op, type=type_) for op, type_ in _WHOLE_OPERATIONS),
    _load("{.vec}.type d..., [a]", op="add", type="f32 f64"),
    _load("{.acc::f32}{.vec}.type d..., [a]", op="add min max", type=_HALVES),
    _load("{.acc::f16}{.vec}.type d..., [a]", "", op="add min max", type=_BYTES),
    _store("{.vec}.type [a], b...", type=f"{_WHOLE} f32 f64 {_HALVES}"),
    *(_reduce(".type [a], b", op=op, type=type_) for op, type_ in _WHOLE_OPERATIONS),
    _reduce("{.vec}.type [a], b...", op="add", type=f"f32 f64 {_HALVES}"),
    Row("9.7.9.26", _M, _COPY + " [d], [a], size", **_BULK),
    Row("9.7.9.26", _M, _COPY + ".cp_mask [d], [a], size, mask", **_BULK),
    *(
        Row(
            "9.7.9.26",
            _M,
            f"multimem.cp.reduce.async.bulk.dst.src.bulk_group.redop{noftz}.type [d], [a], size",
            redop=redop,
            type=type_,
            **_BULK,
        )
        for redop, noftz, type_ in (
            ("and or xor", "", "b32 b64"),
            ("add", "", "u32 s32 u64 f32 f64"),
            ("inc dec", "", "u32"),
            ("min max", "", "s32 u32 s64 u64 f16 bf16"),
            ("add", ".noftz", "f16 bf16"),
        )
    ),
)

TRAITS = {
    "multimem": Traits(
        types={"": {"d": "type+", "b": "type+"}},
        vectors=True,
        needs={
            "8.1": "*",
            "8.2": "acc::f32",
            "sm_90": "*",
        },
        reason="numbers of eight bits (sm_100a) and asynchronous accesses (sm_100) are not there",
    ),
}
