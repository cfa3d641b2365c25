# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tensor maps and the TMA copies that use them; other bulk copies, between blocks and with reductions."""

from __future__ import annotations

import ctypes
import itertools

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.warp_kernels import KIND
from tensor_maps import LOAD, PRELUDE, ROOM, STORE, coordinates, encoded, program

from cuda.cpu import abi, driver

random = np.random.default_rng(17)


def load(map_, start, count, dtype, mode="tile", offsets=()):
    """Return the shared memory that a load has written."""
    rank = len(start)
    extra = f", {coordinates(3 + rank, len(offsets))}" if offsets else ""
    text = (
        f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.{mode}.mbarrier::complete_tx::bytes "
        f"[%0], [%1, {coordinates(3, rank)}], [%2]{extra};"
    )
    if offsets:  # 16 bits each
        text = "{{ .reg .b16 {}; {} {} }}".format(
            ", ".join(f"h{i}" for i in range(len(offsets))),
            " ".join(f"cvt.u16.u32 h{i}, %{3 + rank + i};" for i in range(len(offsets))),
            text.replace(extra, ", {" + ", ".join(f"h{i}" for i in range(len(offsets))) + "}"),
        )
    out = np.zeros(count, dtype)
    where = np.array([*start, *offsets], np.int32)
    loaded = program(LOAD, text, len(where))
    loaded.launch("load", 1, 32, map_, where, out, np.int32(out.nbytes), shared=ROOM)
    return out


def store(map_, start, content, operation=""):
    rank = len(start)
    text = f"cp{'.reduce' * bool(operation)}.async.bulk.tensor.{rank}d.global.shared::cta{operation}.tile.bulk_group "
    text += f"[%0, {coordinates(2, rank)}], [%1];"
    loaded = program(STORE, text, rank)
    loaded.launch("store", 1, 32, map_, np.array(start, np.int32), content, np.int32(content.nbytes), shared=ROOM)


def swizzled(flat, mode):
    """Permute 16-byte chunks by the manual's swizzle patterns: bits 4.. of an address XOR bits 7.."""
    raw = flat.view(np.uint8)
    padded = np.resize(raw, -(-len(raw) // 1024) * 1024)
    addresses = np.arange(len(padded))
    moved = addresses ^ ((addresses >> 3) & (((1 << mode) - 1) << 4))
    result = np.zeros_like(padded)
    result[moved] = padded
    return result[: len(raw)].view(flat.dtype) if mode else flat


def boxed(data, start, box, steps, outside=0):
    """Return the elements of a box, the innermost dimension last, with out-of-bounds elements replaced."""
    axes = [
        np.arange(first, first + size, step if axis else 1)
        for axis, (first, size, step) in enumerate(zip(start, box, steps, strict=True))
    ][::-1]
    result = np.full([len(axis) for axis in axes], outside, data.dtype)
    inside = [(axis >= 0) & (axis < size) for axis, size in zip(axes, data.shape, strict=True)]
    result[np.ix_(*inside)] = data[np.ix_(*(axis[keep] for axis, keep in zip(axes, inside, strict=True)))]
    return result


@pytest.mark.parametrize(
    ("shape", "box", "steps"),
    [
        ((64,), (32,), (1,)),
        ((9, 32), (8, 4), (1, 1)),
        ((40, 128), (100, 25), (1, 1)),
        ((60, 128), (100, 50), (1, 2)),
        ((7, 8, 16), (16, 3, 4), (1, 2, 1)),
        ((3, 4, 5, 16), (4, 5, 2, 2), (1, 1, 3, 1)),
        ((2, 3, 3, 4, 16), (16, 2, 2, 3, 2), (2, 1, 1, 2, 1)),
    ],
)
def test_tiled_loads(shape, box, steps):
    data = random.standard_normal(shape).astype(np.float32)
    map_ = encoded(data, box, steps=steps)
    for start in ([0] * len(box), [-3, 1, -1, 1, 0][: len(box)], [5, 2, 2, 1, 1][: len(box)], [99] * len(box)):
        start = start if len(box) > 1 else [4 * start[0]]
        wanted = boxed(data, start, box, steps)
        np.testing.assert_array_equal(load(map_, start, wanted.size, np.float32), wanted.ravel())


@pytest.mark.cpu_only  # a GPU calls it an illegal instruction, after which nothing else runs in the process
@pytest.mark.parametrize("start", [1, 5, -3, 99])
def test_loads_of_one_dimension_begin_at_multiples_of_16_bytes(start):
    """As on an H100, on which 0 and 40 are no faults."""
    map_ = encoded(np.zeros(64, np.float32), (32,))
    with pytest.raises(AssertionError, match="begins at no multiple of 16 bytes"):
        load(map_, [start], 32, np.float32)
    load(map_, [40], 32, np.float32)


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
@pytest.mark.parametrize("dtype", ["uint8", "float16", "float64"])
def test_swizzles(mode, dtype):
    """A load swizzles the data, a store undoes it."""
    data = random.integers(0, 255, (20, 256)).astype(dtype)
    width = (16 << mode) // data.itemsize
    box, start = (width, 16), (width // 2, 3)
    map_ = encoded(data, box, swizzle=mode)
    wanted = boxed(data, start, box, (1, 1))
    found = load(map_, start, wanted.size, dtype)
    np.testing.assert_array_equal(found, swizzled(wanted.ravel(), mode))
    target = np.zeros_like(data)
    store(encoded(target, box, swizzle=mode), start, found)
    np.testing.assert_array_equal(boxed(target, start, box, (1, 1)), wanted)
    assert np.count_nonzero(target) == np.count_nonzero(wanted)


def interleaved(data, box, kind, **options):
    """Return a tensor map of an array whose last axis is a unit: 16 or 32 bytes by `kind`, 1 or 2."""
    sizes, strides = np.array(data.shape[-2::-1], np.uint64), np.array(data.strides[-3::-1], np.uint64)
    options["steps"] = options.get("steps") or [1] * len(sizes)
    return encoded(data, box, sizes=sizes, strides=strides, rank=data.ndim - 1, interleave=kind, **options)


def units(data, start, box, steps):
    """Return the units of one slice of a box: the second-to-last dimension of an interleaved map counts slices."""
    box = [*box[:-2], 1, box[-1]]
    axes = [np.arange(first, first + size, step) for first, size, step in zip(start, box, steps, strict=True)][::-1]
    result = np.zeros([len(axis) for axis in axes] + [data.shape[-1]], data.dtype)
    inside = [(axis >= 0) & (axis < size) for axis, size in zip(axes, data.shape[:-1], strict=True)]
    result[np.ix_(*inside)] = data[np.ix_(*(axis[keep] for axis, keep in zip(axes, inside, strict=True)))]
    return result


def aligned(data):
    """Return a copy at a multiple of 32."""
    room = np.zeros(data.nbytes + 32, np.uint8)
    start = -room.ctypes.data % 32
    copy = room[start : start + data.nbytes].view(data.dtype).reshape(data.shape)
    copy[...] = data
    return copy


@pytest.mark.parametrize(
    ("dtype", "kind", "mode"), [("uint16", 1, 0), ("uint16", 1, 3), ("float32", 2, 1), ("uint8", 2, 0)]
)
@pytest.mark.parametrize(
    ("shape", "box", "steps"),
    [
        ((3, 4, 40), (16, 2, 2), (1, 1, 1)),
        ((3, 4, 20), (48, 4, 3), (3, 2, 2)),
        ((2, 3, 4, 20), (16, 2, 3, 2), (1, 1, 1, 1)),
        ((2, 2, 3, 4, 20), (16, 1, 2, 2, 2), (2, 1, 1, 1, 1)),
    ],
)
def test_interleaved_tensors(dtype, kind, mode, shape, box, steps):
    """The expected order was measured on an H100, see cuda_cpu/cuda/cpu/runtime/texture/tensor.c."""
    data = aligned(random.integers(1, 200, (*shape, 16 * kind // np.dtype(dtype).itemsize)).astype(dtype))
    map_ = interleaved(data, box, kind, swizzle=mode, steps=steps)
    for start in ([0] * len(shape), [-3, 1, -1, 1, 0][: len(shape)], [15, 2, 2, 1, 1][: len(shape)]):
        wanted = units(data, start, box, steps)
        found = load(map_, start, wanted.size, dtype)
        np.testing.assert_array_equal(found, swizzled(wanted.ravel(), mode))
    target = aligned(np.zeros_like(data))
    start = [0] * len(shape)
    content = units(data, start, box, steps)
    store(interleaved(target, box, kind, swizzle=mode, steps=steps), start, swizzled(content.ravel(), mode))
    np.testing.assert_array_equal(units(target, start, box, steps), content)
    assert np.count_nonzero(target) == np.count_nonzero(content)


def test_im2col_of_interleaved_images():
    data = random.integers(1, 200, (3, 4, 5, 20, 8)).astype(np.uint16)  # images, slices, rows, columns, channels
    map_ = interleaved(data, (8, 30), 1, im2col=((-1, -1), (-1, -1)))
    found = load(map_, (17, 1, 2, 0), 30 * 8, np.uint16, "im2col", (1, 2)).reshape(30, 8)
    # The bounding box goes from -1 to the second-to-last pixel; each pixel is read at its position plus the offset.
    pixels = [(x, y) for y in range(-1, 4) for x in range(-1, 19)]
    first = pixels.index((17, 1))
    wanted = [data[0, 2, y + 2, x + 1] if y + 2 < 5 and x + 1 < 20 else [0] * 8 for x, y in pixels[first : first + 30]]
    np.testing.assert_array_equal(found, wanted)


def test_out_of_bounds_elements_may_be_nan():
    data = random.standard_normal((4, 16)).astype(np.float16)
    found = load(encoded(data, (16, 4), fill=1), (8, 2), 64, np.float16).reshape(4, 16)
    wanted = boxed(data, (8, 2), (16, 4), (1, 1), outside=np.nan)
    np.testing.assert_array_equal(found, wanted)
    assert np.isnan(found).sum() == 64 - 16
    assert set(found.view(np.uint16)[np.isnan(found)]) == {0x7FF7}


def test_stores_skip_out_of_bounds_elements():
    target = np.zeros((5, 8), np.int32)
    content = np.arange(1, 33, dtype=np.int32)
    store(encoded(target, (8, 4)), (4, 3), content)
    wanted = np.zeros_like(target)
    wanted[3:5, 4:8] = content.reshape(4, 8)[:2, :4]
    np.testing.assert_array_equal(target, wanted)


@pytest.mark.parametrize(
    ("operation", "dtype"),
    [("add", "float32"), ("add", "float16"), ("min", "int32"), ("max", "int64"), ("inc", "uint32"), ("xor", "uint64")],
)
def test_reductions_of_tensors(operation, dtype):
    kind = np.dtype(dtype)
    before = random.integers(0, 50, (6, 16)).astype(kind) - (25 if kind.kind in "if" else 0)
    target, content = before.astype(kind), random.integers(0, 50, (4, 16)).astype(kind)
    if kind.kind == "f":
        content[0] = -target[3]  # zero
    store(encoded(target, (16, 4)), (0, 3), content, f".{operation}")
    part, given = before[3:6].astype(kind), content[:3]
    wanted = {
        "add": lambda: part + given,
        "min": lambda: np.minimum(part, given),
        "max": lambda: np.maximum(part, given),
        "inc": lambda: np.where(part >= given, 0, part + 1),
        "xor": lambda: part ^ given,
    }[operation]()
    np.testing.assert_array_equal(target[3:6], wanted.astype(kind))
    np.testing.assert_array_equal(target[:3], before[:3])


@pytest.mark.parametrize("spatial", [1, 2, 3])
def test_im2col_loads(spatial):
    """A column visits the pixels at a filter's positions, W innermost, then those of the next image."""
    shape = (3, *(4, 5, 6)[3 - spatial :], 8)  # N, (D, H,) W, C
    data = random.standard_normal(shape).astype(np.float32)
    lower, upper, steps = [-1, -1, 0][:spatial], [-1, 0, -1][:spatial], [1, 2, 1][:spatial]
    pixels = 20
    map_ = encoded(data, (8, pixels), im2col=(lower, upper), steps=[1, *steps, 1])
    sizes = shape[-2:0:-1]  # W, H, D
    ranges = [range(low, size + high, step) for low, size, high, step in zip(lower, sizes, upper, steps, strict=True)]
    order = [(n, *reversed(at)) for n in range(9) for at in (p[::-1] for p in itertools.product(*ranges[::-1]))]
    for first, offsets in ((0, (0, 0, 0)), (7, (2, 1, 1))):
        begin = order[first]  # n, then D, H, W
        found = load(map_, (0, *begin[:0:-1], begin[0]), 8 * pixels, np.float32, "im2col", offsets[:spatial])
        wanted = []
        for n, *position in order[first : first + pixels]:
            at = [c + o for c, o in zip(position[::-1], offsets, strict=False)]  # W, H, D
            inside = n < shape[0] and all(0 <= c < size for c, size in zip(at, sizes, strict=True))
            wanted.append(data[(n, *at[::-1])] if inside else np.zeros(8, np.float32))
        np.testing.assert_array_equal(found.reshape(pixels, 8), wanted)


def test_multicast_loads():
    source = (
        PRELUDE
        + """
    extern "C" __global__ void __cluster_dims__(4, 1, 1) spread(const __grid_constant__ Map map, int *out) {
        unsigned rank; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
        for (int i = threadIdx.x; i < 64; i += 32) ((int *)room)[i] = -1;
        if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(at(&bar)));
        asm volatile("barrier.cluster.arrive; barrier.cluster.wait;");
        if (threadIdx.x == 0 && rank != 2) {
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" :: "r"(at(&bar))); }
        if (threadIdx.x == 0 && rank == 1) asm volatile("{ .reg .b16 m; mov.b16 m, 11; "
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
            "[%0], [%1, {%2, %3}], [%4], m; }" :: "r"(at(room)), "l"(&map), "r"(8), "r"(1), "r"(at(&bar)) : "memory");
        if (rank != 2) await(at(&bar), 0);
        for (int i = threadIdx.x; i < 64; i += 32) out[rank * 64 + i] = ((int *)room)[i];
        asm volatile("barrier.cluster.arrive; barrier.cluster.wait;"); }"""
    )
    data = np.arange(160, dtype=np.int32).reshape(10, 16)
    out = np.zeros((4, 64), np.int32)
    loaded = program(source, "", 0)
    loaded.launch("spread", 4, 32, encoded(data, (8, 8)), out, shared=ROOM, cluster=(4, 1, 1))
    wanted = boxed(data, (8, 1), (8, 8), (1, 1)).ravel()
    np.testing.assert_array_equal(out, [wanted, wanted, [-1] * 64, wanted])


@pytest.mark.cpu_only  # the map that a kernel leaves holds an address that ends with the launch on a GPU
def test_kernels_modify_maps():
    source = (
        PRELUDE
        + """
    extern "C" __global__ void change(const __grid_constant__ Map map, Map *to, int *data) {
        __shared__ Map mine;
        if (threadIdx.x == 0) { mine = map; unsigned m = at(&mine);
            asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" :: "r"(m), "l"(data));
            asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], 1;" :: "r"(m));
            asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 1, 3;" :: "r"(m));
            asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, 6;" :: "r"(m));
            asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, 4;" :: "r"(m));
            asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" :: "r"(m),
                "l"(32ll));
            asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 1, 2;" :: "r"(m));
            asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 7;" :: "r"(m));
            asm volatile("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 0;" :: "r"(m));
            asm volatile("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 1;" :: "r"(m)); }
        __syncwarp();
        asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
            "[%0], [%1], 128;" :: "l"(to), "r"(at(&mine)));
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" :: "l"(to)); }"""
    )
    data = random.standard_normal((4, 8)).astype(np.float32)
    first = encoded(np.zeros((2, 4), np.int32), (8, 2), swizzle=2)
    changed = np.zeros(128, np.uint8)
    program(source, "", 0).launch("change", 1, 32, first, changed, data)
    found = load(changed.view("V128")[0], (2, 1), 16, np.float32)
    wanted = boxed(data[:, :6], (2, 1), (8, 3), (1, 2), outside=np.nan)
    np.testing.assert_array_equal(found, wanted.ravel())


FROM_ZEROS = (
    PRELUDE
    + """
    extern "C" __global__ void make(Map *to, int *data, int fields) {
        __shared__ Map mine; unsigned m = at(&mine); ((int *)&mine)[threadIdx.x] = 0; __syncwarp();
        if (threadIdx.x == 0) {
            asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" :: "r"(m), "l"(data));
            asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], 1;" :: "r"(m));
            asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, 8;" :: "r"(m));
            asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, 6;" :: "r"(m));
            asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, 4;" :: "r"(m));
            asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" :: "r"(m),
                "l"(32ll));
            asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 0, 1;" :: "r"(m));
            if (fields & 1)
                asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 1, 3;" :: "r"(m));
            if (fields & 2)
                asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 1, 1;" :: "r"(m));
            asm volatile("tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 0;" :: "r"(m));
            asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 7;" :: "r"(m)); }
        __syncwarp();
        asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
            "[%0], [%1], 128;" :: "l"(to), "r"(at(&mine))); }"""
)


@pytest.mark.cpu_only
def test_kernels_build_a_map_from_zeros():
    data = random.standard_normal((4, 8)).astype(np.float32)
    made = np.zeros(128, np.uint8)
    program(FROM_ZEROS, "", 0).launch("make", 1, 32, made, data, np.int32(3))
    found = load(made.view("V128")[0], (2, 1), 24, np.float32)
    np.testing.assert_array_equal(found, boxed(data[:, :6], (2, 1), (8, 3), (1, 1)).ravel())


@pytest.mark.cpu_only
@pytest.mark.parametrize("fields", [1, 2])
def test_using_an_incomplete_map_is_a_fault(fields):
    data = np.zeros((4, 8), np.float32)
    made = np.zeros(128, np.uint8)
    program(FROM_ZEROS, "", 0).launch("make", 1, 32, made, data, np.int32(fields))
    with pytest.raises(AssertionError, match="this is no tensor map of such dimensions"):
        load(made.view("V128")[0], (2, 1), 24, np.float32)


@pytest.mark.cpu_only
def test_an_invalid_field_value_is_a_fault():
    wrong = FROM_ZEROS.replace(
        'rank.shared::cta.b1024.b32 [%0], 1;" :: "r"(m)', 'rank.shared::cta.b1024.b32 [%0], %1;" :: "r"(m), "r"(7)'
    )
    loaded = program(wrong, "", 0)
    with pytest.raises(AssertionError, match=r"tensormap.replace: no map, or no such value"):
        loaded.launch("make", 1, 32, np.zeros(128, np.uint8), np.zeros(8), np.int32(3))


@pytest.mark.cpu_only
@pytest.mark.parametrize("start", [(0,), (0, 0)])
def test_a_map_of_the_wrong_kind_for_the_instruction_is_a_fault(start):
    data = np.zeros((8, 16), np.float32)
    given = encoded(data, (8, 4)) if len(start) == 1 else np.zeros(128, np.uint8).view("V128")[0]
    rank = len(start)
    text = f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
    loaded = program(LOAD, text + f"[%0], [%1, {coordinates(3, rank)}], [%2];", rank)
    where, out = np.zeros(rank, np.int32), np.zeros(32, np.float32)
    fault = loaded.run("load", 1, 32, given, where, out, np.int32(128), shared=ROOM)
    assert fault.kind == KIND.TRAP
    assert "no tensor map" in fault.message


@pytest.mark.cpu_only
@pytest.mark.parametrize(
    ("changes", "status", "says"),
    [
        ({"rank": 6}, "INVALID_VALUE", "tensorRank is 6"),
        ({"type": 99}, "INVALID_VALUE", "tensorDataType is 99"),
        ({"type": abi.CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B}, "NOT_SUPPORTED", "packed elements"),
        ({"start": 0}, "INVALID_VALUE", "globalAddress"),
        ({"start": 1 << 20 | 8}, "INVALID_VALUE", "multiple of 16"),
        ({"strides": np.array([24], np.uint64)}, "INVALID_VALUE", "globalStrides[0] is 24"),
        ({"sizes": np.array([0, 8], np.uint64)}, "INVALID_VALUE", "globalDim[0] is 0"),
        ({"box": (257, 1)}, "INVALID_VALUE", "boxDim[0] is 257"),
        ({"box": (3, 1)}, "INVALID_VALUE", "12 bytes, must be a multiple of 16"),
        ({"box": (16, 1), "swizzle": 1}, "INVALID_VALUE", "64 bytes, at most 32"),
        ({"steps": [1, 9]}, "INVALID_VALUE", "elementStrides[1] is 9"),
        ({"swizzle": 9}, "INVALID_VALUE", "swizzle is 9"),
        ({"swizzle": abi.CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B}, "NOT_SUPPORTED", "10.0"),
        ({"interleave": 3}, "INVALID_VALUE", "interleave is 3"),
        ({"interleave": 1}, "INVALID_VALUE", "tensorRank is 2, must be at least 3"),
        ({"promotion": 4}, "INVALID_VALUE", "l2Promotion is 4"),
        ({"fill": 1, "type": 3}, "INVALID_VALUE", "do not have"),
        ({"box": (8, 2000), "im2col": ([0], [0])}, "INVALID_VALUE", "tensorRank is 2, must be 3 to 5"),
    ],
)
def test_invalid_maps_are_refused(refused, changes, status, says):
    data = np.zeros((8, 32), np.float32)
    with refused(status, says):
        encoded(data, **({"box": (8, 4)} | changes))


@pytest.mark.cpu_only
def test_the_map_pointer_may_be_unaligned_but_not_null(refused):
    data = np.zeros((8, 32), np.float32)
    aligned, other = encoded(data, (8, 4)), encoded(data, (8, 4), start_of_map=24)
    assert bytes(aligned) == bytes(other)
    with refused("INVALID_VALUE", "tensorMap is NULL"):
        driver.cuTensorMapEncodeTiled(0, 7, 2, data.ctypes.data, *[data.ctypes.data] * 4, 0, 0, 0, 0)


@pytest.mark.cpu_only
def test_im2col_bounding_boxes_are_checked(refused):
    data = np.zeros((2, 8, 32), np.float32)
    for box, corners, says in (
        ((8, 1025), ([0], [0]), "pixelsPerColumn[0] is 1025"),
        ((300, 8), ([0], [0]), "channelsPerPixel[0] is 300"),
        ((8, 8), ([-40000], [0]), "pixelBoxLowerCorner[0] is -40000"),
    ):
        with refused("INVALID_VALUE", says):
            encoded(data, box, im2col=corners)


@pytest.mark.cpu_only
def test_replace_address(refused):
    data = random.standard_normal((2, 4, 8)).astype(np.float32)
    memory = np.zeros(192, np.uint8)
    start = -memory.ctypes.data % 64
    memory[start : start + 128] = np.frombuffer(encoded(data[0], (8, 4)).tobytes(), np.uint8)
    driver.cuTensorMapReplaceAddress(memory.ctypes.data + start, data[1].ctypes.data)
    found = load(memory[start : start + 128].copy().view("V128")[0], (0, 0), 32, np.float32)
    np.testing.assert_array_equal(found, data[1].ravel())
    with refused("INVALID_VALUE", "globalAddress"):
        driver.cuTensorMapReplaceAddress(memory.ctypes.data + start, 8)
    memory[:] = 0
    with refused("INVALID_VALUE", "no tensor map"):
        driver.cuTensorMapReplaceAddress(ctypes.addressof(ctypes.c_char.from_buffer(memory)) + start, 1 << 20)
