# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rows of asynchronous copies and tensor maps, sections 9.7.9.26, 9.7.9.27 and 9.7.14.17."""

from cuda.cpu.ptx.ranges import BULK, LINE, between, one_of
from cuda.cpu.ptx.row import Row, Traits

_C = "copies"
_DIM = "1d 2d 3d 4d 5d"

ROWS = (
    Row(
        "9.7.9.26",
        "copies",
        "cp.async.cop.space.global{.hint}{.prefetch} [d], [a], size{, {!}source}{, policy}",
        cop="ca cg",
        space="shared shared::cta",
    ),
    Row("9.7.9.26", "copies", "cp.async.commit_group "),
    Row("9.7.9.26", "copies", "cp.async.wait_group n"),
    Row("9.7.9.26", "copies", "cp.async.wait_all "),
    Row(
        "9.7.9.26",
        "copies",
        "cp.async.bulk.dst.src.mbarrier::complete_tx::bytes{.hint} [d], [a], size, [mbar]{, policy}",
        dst="shared::cta shared::cluster",
        src="global",
    ),
    Row(
        "9.7.9.26",
        "copies",
        "cp.async.bulk.dst.src.mbarrier::complete_tx::bytes.ignore_oob{.hint} "
        "[d], [a], size, left, right, [mbar]{, policy}",
        dst="shared::cta",
        src="global",
    ),
    Row(
        "9.7.9.26",
        _C,
        "cp.async.bulk.dst.src.mbarrier::complete_tx::bytes [d], [a], size, [mbar]",
        dst="shared::cluster",
        src="shared::cta",
    ),
    Row(
        "9.7.9.26",
        _C,
        "cp.async.bulk.dst.src.mbarrier::complete_tx::bytes.multicast::cluster{.hint} "
        "[d], [a], size, [mbar], mask{, policy}",
        dst="shared::cluster",
        src="global",
    ),
    Row(
        "9.7.9.26",
        "copies",
        "cp.async.bulk.dst.src.bulk_group{.hint} [d], [a], size{, policy}",
        dst="global",
        src="shared::cta",
    ),
    Row(
        "9.7.9.26",
        _C,
        "cp.async.bulk.dst.src.bulk_group{.hint}.cp_mask [d], [a], size{, policy}, mask",
        dst="global",
        src="shared::cta",
    ),
    *(
        Row(
            "9.7.9.26",
            _C,
            "cp.reduce.async.bulk.dst.src.mbarrier::complete_tx::bytes.redop.type [d], [a], size, [mbar]",
            dst="shared::cluster",
            src="shared::cta",
            redop=redop,
            type=type_,
        )
        for redop, type_ in (("and or xor", "b32"), ("add", "u32 s32 u64"), ("inc dec", "u32"), ("min max", "s32 u32"))
    ),
    *(
        Row(
            "9.7.9.26",
            _C,
            "cp.reduce.async.bulk.dst.src.bulk_group{.hint}.redop" + noftz + ".type [d], [a], size{, policy}",
            dst="global",
            src="shared::cta",
            redop=redop,
            type=type_,
        )
        for redop, noftz, type_ in (
            ("and or xor", "", "b32 b64"),
            ("add", "", "u32 s32 u64 f32 f64"),
            ("inc dec", "", "u32"),
            ("min max", "", "s32 u32 s64 u64 f16 bf16"),
            ("add", ".noftz", "f16 bf16"),
        )
    ),
    Row(
        "9.7.9.26",
        _C,
        "cp.async.bulk.prefetch.L2.src{.hint} [a], size{, policy}",
        src="global",
        prefetch="prefetch",
    ),
    # tensors; modes and groups of sm_100 are recognised and rejected
    Row(
        "9.7.9.26",
        _C,
        "cp.async.bulk.tensor.dim.dst.src{.load_mode}.mbarrier::complete_tx::bytes{.multicast::cluster}{.hint} "
        "[d], [a], [mbar]{, b...}{, c}{, e}",
        load_mode="tile im2col",
        dst="shared::cta shared::cluster",
        src="global",
        dim=_DIM,
    ),
    Row(
        "9.7.9.26",
        "",
        "cp.async.bulk.tensor.dim.dst.src{.load_mode}.mbarrier::complete_tx::bytes{.multicast::cluster}{.cta_group}"
        "{.hint} [d], [a], [mbar]{, b...}{, c}{, e}",
        load_mode="tile im2col tile::gather4 im2col::w im2col::w::128",
        cta_group="cta_group::1 cta_group::2",
        dst="shared::cta shared::cluster",
        src="global",
        dim=_DIM,
    ),
    Row(
        "9.7.9.26",
        _C,
        "cp.async.bulk.tensor.dim.dst.src{.load_mode}.bulk_group{.hint} [a], [d]{, policy}",
        load_mode="tile im2col_no_offs",
        dst="global",
        src="shared::cta",
        dim=_DIM,
    ),
    Row(
        "9.7.9.26",
        "",
        "cp.async.bulk.tensor.dim.dst.src.load_mode.bulk_group{.hint} [a], [d]{, policy}",
        load_mode="tile::scatter4",
        dst="global",
        src="shared::cta",
        dim=_DIM,
    ),
    Row(
        "9.7.9.26",
        _C,
        "cp.reduce.async.bulk.tensor.dim.dst.src.redop{.load_mode}.bulk_group{.hint} [a], [d]{, policy}",
        load_mode="tile im2col_no_offs",
        redop="add min max inc dec and or xor",
        dst="global",
        src="shared::cta",
        dim=_DIM,
    ),
    Row(
        "9.7.9.26",
        _C,
        "cp.async.bulk.prefetch.tensor.dim.L2.src{.load_mode}{.hint} [a]{, b...}{, policy}",
        load_mode="tile im2col tile::gather4 im2col::w im2col::w::128",
        src="global",
        dim=_DIM,
        prefetch="prefetch",
    ),
    *(
        Row(
            "9.7.9.27",
            "bulk",
            f"tensormap.replace.tile.field{{.space}}.b1024.type [a]{ordinal}, value",
            field=field,
            space="global shared::cta",
            type=type_,
        )
        for field, ordinal, type_ in (
            ("global_address", "", "b64"),
            ("rank elemtype interleave_layout swizzle_mode swizzle_atomicity fill_mode", "", "b32"),
            ("box_dim global_dim element_stride", ", which", "b32"),
            ("global_stride", ", which", "b64"),
        )
    ),
    Row(
        "9.7.14.17",
        "bulk",
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.sem.scope.sync.aligned [d], [a], size",
        sem="release",
    ),
    Row("9.7.9.26", "copies", "cp.async.bulk.commit_group "),
    Row("9.7.9.26", "copies", "cp.async.bulk.wait_group{.read} n"),
)

TRAITS = {
    "cp": Traits(
        types={"tensor": {"b": "", "c": ""}, "async.ca": {"size": "constant"}, "async.cg": {"size": "constant"}},
        ranges={
            "async.ca": {"size": one_of(4, 8, 16), "{!}source": between(0, 16)},
            "async.cg": {"size": one_of(16), "{!}source": between(0, 16)},
            "async.bulk": {"size": BULK},
        },
        needs={
            "7.0": "async",
            "7.5": "L2::cache_hint",
            "7.8": "mbarrier.shared::cta",
            "8.0": "bulk",
            "8.6": "cp_mask shared::cta.global.mbarrier::complete_tx::bytes",
            "sm_80": "async",
            "sm_90": "bulk",
            "sm_100": "cp_mask",
        },
        reason="tensor copies of sm_100 (gather4, scatter4, im2col::w, cta_group) are not there",
    ),
    "tensormap": Traits(
        ranges={"": {"size": LINE}},
        needs={
            "8.3": "*",
            "sm_90": "*",
            "sm_90a+": "replace",
        },
    ),
}
