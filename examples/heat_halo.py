# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Exchange the halo rows of slabs of different processes, for heat_mpi.py and heat_dask.py.

Each process copies the outermost of its own rows to an outbox and records an event. Its neighbours wait for the event
on the device and copy from the outbox. On one host they map the outbox (CUDA IPC); otherwise the rows travel as arrays
of the host. The outbox has two parts, which are written alternately: when a part is written again, the neighbours have
read it, because the slab has waited for the events that they recorded after reading.
"""

import pickle
from multiprocessing.reduction import ForkingPickler

import heat
import numpy as np

from cuda.core import Device, DeviceArray, DeviceMemoryResource, DeviceMemoryResourceOptions, EventOptions

ABOVE, BELOW = 0, 1


def split(height, parts):
    """Return the first row of each slab, and the height."""
    return [height * part // parts for part in range(parts + 1)]


class SharedSlab(heat.Slab):
    """A slab with neighbours in other processes."""

    def __init__(self, device, code, plate, first, rows, halo):
        if len(rows) < halo:
            raise ValueError(f"a slab has {len(rows)} rows, fewer than the halo's {halo}: use fewer processes")
        super().__init__(device, code, plate, first, rows, halo)
        shape = (2, 2, halo, plate.width)  # part of the outbox, side, rows
        size = 8 * int(np.prod(shape))
        pool = DeviceMemoryResource(device, DeviceMemoryResourceOptions(ipc_enabled=True, max_size=size))
        self.buffer = pool.allocate(size, stream=self.stream)
        self.outbox = DeviceArray.from_buffer(self.buffer, shape, np.float64)
        self.events = [self.stream.record(options=EventOptions(ipc_enabled=True)) for _ in range(2)]
        self.neighbours = {}
        self.rounds = 0
        self.stream.sync()  # the outbox is allocated before a neighbour opens it

    def can_map(self, ordinal):
        """Return whether this device can access memory of a device of this host."""
        return ordinal == self.device.device_id or self.device.can_access_peer(Device(ordinal))

    def export(self):
        """Return the outbox and its events as bytes, which one process of this host can open.

        The bytes tell where the process offers the file descriptor of the pool. Only processes with the same
        `multiprocessing.current_process().authkey` get it.
        """
        return bytes(ForkingPickler.dumps((self.buffer, self.events)))

    def connect(self, side, exported=None):
        """Take a neighbour's export; None for a neighbour whose rows will travel through the host."""
        if exported is None:
            self.neighbours[side] = None
            return
        buffer, events = pickle.loads(exported)
        pool = buffer.memory_resource
        if pool.device_id != self.device.device_id:
            pool.peer_accessible_by = [self.device]
        self.neighbours[side] = DeviceArray.from_buffer(buffer, self.outbox.shape, np.float64), events

    def publish(self):
        """Offer the outermost rows to the neighbours. Return those for neighbours that need them on the host, by side.

        When this returns, the event is recorded, but the device may still be computing.
        """
        turn, ends = self.rounds % 2, {ABOVE: self.now[self.halo : 2 * self.halo]}
        ends[BELOW] = self.now[len(self.now) - 2 * self.halo : len(self.now) - self.halo]
        for side, rows in ends.items():
            self.outbox[turn, side].copy_from(rows, stream=self.stream)
        self.stream.record(self.events[turn])
        self.rounds += 1
        return {
            side: ends[side].to_host(stream=self.stream) for side, shared in self.neighbours.items() if shared is None
        }

    def advance(self, count, received):
        """Fill the halo and compute `count` steps. Call it when all neighbours have published the same round.

        `received` has the rows from neighbours on other hosts, by side.
        """
        turn = (self.rounds - 1) % 2
        halos = {ABOVE: self.now[: self.halo], BELOW: self.now[len(self.now) - self.halo :]}
        for side, shared in self.neighbours.items():
            if shared is None:
                halos[side].copy_from(received[side], stream=self.stream)
            else:
                outbox, events = shared
                self.stream.wait(events[turn])
                halos[side].copy_from(outbox[turn, 1 - side], stream=self.stream)
        self.step(count)
