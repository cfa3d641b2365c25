# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program for test_warp.py: what the documentation of NVIDIA's Warp shows, on its device cuda:0."""

import numpy as np
import warp as wp

wp.config.quiet = True
wp.set_device("cuda:0")
random = np.random.default_rng(5)


def normal(*shape):
    return random.standard_normal(shape).astype(np.float32)


@wp.kernel
def add(a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = a[i] + b[i]


def arrays():
    a, b = normal(1000), normal(1000)
    out = wp.empty(1000, dtype=float)
    wp.launch(add, dim=1000, inputs=[wp.array(a), wp.array(b)], outputs=[out])
    np.testing.assert_array_equal(out.numpy(), a + b)
    assert wp.full(7, 3.5, dtype=float).numpy().tolist() == [3.5] * 7
    grid = wp.array(normal(6, 8))
    part = wp.zeros((6, 4), dtype=float)
    wp.copy(part, grid[:, ::2])
    np.testing.assert_array_equal(part.numpy(), grid.numpy()[:, ::2])
    vectors = wp.zeros(5, dtype=wp.vec3)
    vectors.fill_(wp.vec3(1.0, 2.0, 3.0))
    np.testing.assert_array_equal(vectors.numpy(), [[1, 2, 3]] * 5)
    pinned = wp.array(np.arange(5.0), dtype=float, device="cpu", pinned=True)
    assert pinned.to("cuda:0").numpy().tolist() == [0, 1, 2, 3, 4]


@wp.struct
class Particle:
    position: wp.vec3
    velocity: wp.vec3
    mass: float


@wp.kernel
def integrate(particles: wp.array(dtype=Particle), step: float, energy: wp.array(dtype=float)):
    i = wp.tid()
    particle = particles[i]
    particle.velocity += wp.vec3(0.0, -9.81, 0.0) * step
    particle.position += particle.velocity * step
    particles[i] = particle
    wp.atomic_add(energy, 0, 0.5 * particle.mass * wp.length_sq(particle.velocity))


def structs_and_atomics():
    position, velocity = normal(100, 3), normal(100, 3)
    values = []
    for p, v in zip(position, velocity, strict=True):
        particle = Particle()
        particle.position, particle.velocity, particle.mass = wp.vec3(*p), wp.vec3(*v), 2.0
        values.append(particle)
    particles, energy = wp.array(values, dtype=Particle), wp.zeros(1, dtype=float)
    wp.launch(integrate, dim=100, inputs=[particles, 0.1, energy])
    velocity[:, 1] -= 0.981
    np.testing.assert_allclose(particles.numpy()["position"], position + 0.1 * velocity, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(energy.numpy()[0], (velocity**2).sum(), rtol=1e-4)


@wp.kernel
def transform(m: wp.array(dtype=wp.mat33), q: wp.array(dtype=wp.quat), v: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    v[i] = wp.quat_rotate(q[i], wp.inverse(m[i]) * (m[i] * v[i]))


def vectors_and_matrices():
    m, v = normal(50, 3, 3) + 3 * np.eye(3, dtype=np.float32), normal(50, 3)
    half = np.float32(np.sqrt(0.5))
    quaternions = np.tile(np.array([0, 0, half, half], np.float32), (50, 1))  # a quarter turn around z
    out = wp.array(v, dtype=wp.vec3)
    wp.launch(transform, 50, inputs=[wp.array(m, dtype=wp.mat33), wp.array(quaternions, dtype=wp.quat), out])
    np.testing.assert_allclose(out.numpy(), np.stack([-v[:, 1], v[:, 0], v[:, 2]], 1), rtol=1e-3, atol=1e-3)


@wp.kernel
def square_sum(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, wp.sin(x[i]) * x[i])


def gradients():
    x = normal(64)
    inputs, loss = wp.array(x, requires_grad=True), wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(square_sum, 64, inputs=[inputs, loss])
    tape.backward(loss)
    np.testing.assert_allclose(loss.numpy()[0], (np.sin(x) * x).sum(), rtol=1e-4)
    np.testing.assert_allclose(inputs.grad.numpy(), np.cos(x) * x + np.sin(x), rtol=1e-4, atol=1e-5)


@wp.kernel
def double(x: wp.array(dtype=float)):
    x[wp.tid()] *= 2.0


def streams_and_events():
    x, stream = wp.ones(1000, dtype=float), wp.Stream()
    begin, end = wp.Event(enable_timing=True), wp.Event(enable_timing=True)
    stream.wait_stream(wp.get_stream())
    with wp.ScopedStream(stream):
        wp.record_event(begin)
        for _ in range(5):
            wp.launch(double, 1000, inputs=[x])
        wp.record_event(end)
    wp.wait_event(end)
    wp.launch(double, 1000, inputs=[x])
    wp.synchronize()
    assert wp.get_event_elapsed_time(begin, end) > 0
    assert x.numpy().tolist() == [64] * 1000


def graphs():
    x = wp.ones(100, dtype=float)
    with wp.ScopedCapture() as capture:
        for _ in range(3):
            wp.launch(double, 100, inputs=[x])
    assert x.numpy()[0] == 1  # recorded, not run
    for _ in range(4):
        wp.capture_launch(capture.graph)
    assert x.numpy().tolist() == [4096] * 100


@wp.kernel
def throw(seed: int, hits: wp.array(dtype=int)):
    state = wp.rand_init(seed, wp.tid())
    if wp.length(wp.vec2(wp.randf(state), wp.randf(state))) < 1.0:
        wp.atomic_add(hits, 0, 1)


def random_numbers():
    found = []
    for seed in (7, 7, 8):
        hits = wp.zeros(1, dtype=int)
        wp.launch(throw, 100000, inputs=[seed, hits])
        found.append(int(hits.numpy()[0]))
    assert found[0] == found[1] != found[2]
    assert abs(4 * found[0] / 100000 - np.pi) < 0.05


@wp.kernel
def count(grid: wp.uint64, points: wp.array(dtype=wp.vec3), radius: float, counts: wp.array(dtype=int)):
    i = wp.tid()
    found = wp.int32(0)
    for j in wp.hash_grid_query(grid, points[i], radius):
        if wp.length(points[i] - points[j]) <= radius:
            found += wp.int32(1)
    counts[i] = found


def neighbours():
    points = random.random((300, 3)).astype(np.float32)
    grid, array = wp.HashGrid(16, 16, 16), wp.array(points, dtype=wp.vec3)
    grid.build(array, 0.2)
    counts = wp.zeros(300, dtype=int)
    wp.launch(count, 300, inputs=[grid.id, array, 0.2, counts])
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    assert abs(counts.numpy() - (distance <= 0.2).sum(1)).max() <= 1  # rounding at the border


@wp.kernel
def cast(mesh: wp.uint64, origins: wp.array(dtype=wp.vec3), depth: wp.array(dtype=float)):
    i = wp.tid()
    hit = wp.mesh_query_ray(mesh, origins[i], wp.vec3(0.0, 0.0, -1.0), 100.0)
    depth[i] = -1.0
    if hit.result:
        depth[i] = hit.t


def rays_on_a_mesh():
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 1], [0, 1, 1]], np.float32)  # a slope: z = y
    triangles = np.array([0, 1, 2, 0, 2, 3], np.int32)
    mesh = wp.Mesh(points=wp.array(corners, dtype=wp.vec3), indices=wp.array(triangles, dtype=int))
    origins = np.stack([random.uniform(-0.5, 1.5, 200), random.uniform(-0.5, 1.5, 200), np.full(200, 5)], 1)
    depth = wp.zeros(200, dtype=float)
    wp.launch(cast, 200, inputs=[mesh.id, wp.array(origins, dtype=wp.vec3), depth])
    inside = ((origins[:, :2] > 0) & (origins[:, :2] < 1)).all(1)
    np.testing.assert_allclose(depth.numpy(), np.where(inside, 5 - origins[:, 1], -1), rtol=1e-4, atol=1e-4)


def moving_mesh():
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
    points = wp.array(corners, dtype=wp.vec3)
    mesh = wp.Mesh(points=points, indices=wp.array([0, 1, 2, 0, 2, 3], dtype=int))
    origin, depth = wp.array([[0.3, 0.6, 5.0]], dtype=wp.vec3), wp.zeros(1, dtype=float)
    found = []
    for height in (0, 1, 2):
        points.assign(corners + np.float32([0, 0, height]))
        mesh.refit()
        wp.launch(cast, 1, inputs=[mesh.id, origin, depth])
        found.append(float(depth.numpy()[0]))
    mesh.points = wp.array(corners + np.float32([0, 0, 3]), dtype=wp.vec3)
    wp.launch(cast, 1, inputs=[mesh.id, origin, depth])
    np.testing.assert_allclose([*found, depth.numpy()[0]], [5, 4, 3, 2], rtol=1e-5)


@wp.kernel
def tile_sums(a: wp.array2d(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    wp.tile_store(out, wp.tile_sum(wp.tile_load(a[i], shape=64)), offset=i)


def tiles():
    a, out = normal(10, 64), wp.zeros(10, dtype=float)
    wp.launch_tiled(tile_sums, dim=[10], inputs=[wp.array(a), out], block_dim=64)
    np.testing.assert_allclose(out.numpy(), a.sum(1), rtol=1e-4, atol=1e-4)


def sorts_and_scans():
    values = random.permutation(1000).astype(np.int32)
    keys, numbers = wp.zeros(2000, dtype=int), wp.zeros(2000, dtype=int)
    wp.copy(keys, wp.array(values), count=1000)
    wp.copy(numbers, wp.array(np.arange(1000, dtype=np.int32)), count=1000)
    wp.utils.radix_sort_pairs(keys, numbers, 1000)
    assert keys.numpy()[:1000].tolist() == list(range(1000))
    np.testing.assert_array_equal(numbers.numpy()[:1000], np.argsort(values))
    out = wp.zeros(1000, dtype=int)
    wp.utils.array_scan(wp.array(values), out, inclusive=True)
    np.testing.assert_array_equal(out.numpy(), np.cumsum(values))
    assert wp.utils.array_sum(wp.array(np.ones(100, np.float32))) == 100


PROGRAMS = [arrays, structs_and_atomics, vectors_and_matrices, gradients, streams_and_events, graphs, random_numbers,
            neighbours, rays_on_a_mesh, moving_mesh, tiles, sorts_and_scans]  # fmt: skip

if __name__ == "__main__":
    for program in PROGRAMS:
        program()
        print(program.__name__, "is right", flush=True)
    print("on", wp.get_device().name)
