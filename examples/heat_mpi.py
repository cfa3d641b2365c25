# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Solve the heat equation on MPI ranks: `mpiexec -n 4 python -m mpi4py heat_mpi.py`. Needs mpi4py and MPI."""

import multiprocessing
import os
import time

import heat
import heat_halo
import numpy as np
from mpi4py import MPI

from cuda.core import Device


def parse():
    parser = heat.parser(__doc__)
    parser.add_argument("--halo", type=int, default=4, help="rows exchanged, and steps between two exchanges")
    parser.add_argument("--host-copies", action="store_true", help="exchange through the host, as between hosts")
    return parser.parse_args()


def neighbours(world):
    """Return the ranks above and below, by side."""
    ranks = {heat_halo.ABOVE: world.rank - 1, heat_halo.BELOW: world.rank + 1}
    return {side: rank for side, rank in ranks.items() if 0 <= rank < world.size}


def exchange(world, messages):
    """Send a message to the neighbour of each side and return theirs, by side."""
    around = neighbours(world)
    sent = [world.isend(messages.get(side), rank) for side, rank in around.items()]
    received = {side: world.recv(source=rank) for side, rank in around.items()}
    MPI.Request.waitall(sent)
    return received


def connect(world, slab, through_host):
    """Open the outboxes of the neighbours on the same host, and say for which pairs that is not possible."""
    multiprocessing.current_process().authkey = world.bcast(os.urandom(32))
    here = MPI.Get_processor_name()
    there = exchange(world, dict.fromkeys(neighbours(world), (here, slab.device.device_id)))
    exports = {}
    for side, (host, ordinal) in there.items():
        shared = host == here and slab.can_map(ordinal) and not through_host
        exports[side] = slab.export() if shared else None
    exports = exchange(world, exports)
    for side, exported in exports.items():
        slab.connect(side, exported)
        if exported is None and side == heat_halo.BELOW:
            why = "--host-copies" if through_host else "other hosts, or devices without access to each other"
            print(f"heat: ranks {world.rank} and {world.rank + 1} exchange rows through the host: {why}", flush=True)
    world.Barrier()  # until all have opened what they were sent


def main():
    options, world = parse(), MPI.COMM_WORLD
    on_node = world.Split_type(MPI.COMM_TYPE_SHARED)
    device = Device(on_node.rank % len(Device.get_all_devices()))
    device.set_current()
    plate, step, field = world.bcast(heat.begin(options) if world.rank == 0 else None)
    code = world.bcast(heat.compile_step(device) if world.rank == 0 else None)  # compiled once

    first = heat_halo.split(plate.height, world.size)
    rows = field[first[world.rank] : first[world.rank + 1]]
    slab = heat_halo.SharedSlab(device, code, plate, first[world.rank], rows, options.halo)
    connect(world, slab, options.host_copies)
    pids = world.gather(os.getpid())
    if world.rank == 0:
        print("heat: ranks have the processes", *pids, flush=True)

    started = time.perf_counter()
    while step < options.steps:
        received = exchange(world, slab.publish())
        count = heat.next_steps(options, step, options.halo)
        slab.advance(count, received)
        step += count
        if step % options.every == 0 or step == options.steps:
            parts = world.gather(slab.rows())
            if world.rank == 0:
                field = np.concatenate(parts)
                heat.report(options, plate, step, field)
    seconds = time.perf_counter() - started
    if world.rank == 0:
        name = f"heat_mpi: {options.steps} steps by {world.size} ranks on {device.name}"
        heat.finish(options, plate, field, name, seconds)
    world.Barrier()  # nobody closes an outbox that others still read


if __name__ == "__main__":
    main()
