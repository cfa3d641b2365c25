# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Solve the heat equation on the workers of a Dask cluster, and go on when one dies. Needs dask[distributed]."""

import multiprocessing
import os
import time

import heat
import heat_halo
import numpy as np

from cuda.core import CUDAError, Device

DEATHS = 5  # of workers, before the program gives up
PATIENCE = 60  # seconds for an answer of a worker


class Part:
    """A slab in a worker: an actor, whose methods the client calls. Dask may use another thread for each call."""

    def __init__(self, ordinal, key, *arguments):
        multiprocessing.current_process().authkey = key
        self.device = Device(ordinal % len(Device.get_all_devices()))
        self.device.set_current()
        self.slab = heat_halo.SharedSlab(self.device, *arguments)

    def facts(self):
        return self.device.device_id, self.device.name, os.getpid()

    def call(self, method, *arguments):
        self.device.set_current()
        return getattr(self.slab, method)(*arguments)

    def advance(self, count, received):
        """Fill the halo, compute, and return the rows for neighbours on other hosts."""
        self.call("advance", count, received)
        return self.call("publish")


def ask(parts, method, arguments):
    """Call a method of all parts at once, and return their answers."""
    calls = [getattr(part, method)(*each) for part, each in zip(parts, arguments, strict=True)]
    return [call.result(timeout=PATIENCE) for call in calls]


def hand_over(published):
    """Return what each part receives, by side, of what the parts have published for other hosts."""
    received = [{} for _ in published]
    for number, rows in enumerate(published):
        if heat_halo.ABOVE in rows:
            received[number - 1][heat_halo.BELOW] = rows[heat_halo.ABOVE]
        if heat_halo.BELOW in rows:
            received[number + 1][heat_halo.ABOVE] = rows[heat_halo.BELOW]
    return received


def connect(parts, hosts, ordinals):
    """Let neighbours on one host open each other's outboxes."""
    for number in range(len(parts) - 1):
        upper, lower = parts[number], parts[number + 1]
        same_host = hosts[number] == hosts[number + 1]
        (shared,) = ask([upper], "call", [("can_map", ordinals[number + 1])]) if same_host else (False,)
        for part, side, other in ((upper, heat_halo.BELOW, lower), (lower, heat_halo.ABOVE, upper)):
            (exported,) = ask([other], "call", [("export",)]) if shared else (None,)
            ask([part], "call", [("connect", side, exported)])
        if not shared:
            print(f"heat: workers {number} and {number + 1} exchange rows through the host", flush=True)


def shared_key(client):
    """Return the key with which the workers hand file descriptors to each other: one for the life of the cluster."""
    key = client.get_metadata(["heat_dask", "key"], None) or os.urandom(32)
    client.set_metadata(["heat_dask", "key"], key)
    return key


def start(client, code, plate, field, options):
    """Make a slab in every worker, and connect them. Return the actors."""
    listed = client.scheduler_info(n_workers=-1)["workers"]
    workers = sorted((worker["host"], address) for address, worker in listed.items())
    workers = workers[: plate.height // options.halo]  # a slab has at least as many rows as a halo
    hosts = [host for host, _ in workers]
    key, first = shared_key(client), heat_halo.split(plate.height, len(workers))
    made = []
    for number, (host, address) in enumerate(workers):
        rows = field[first[number] : first[number + 1]]
        arguments = hosts[:number].count(host), key, code, plate, first[number], rows, options.halo
        made.append(client.submit(Part, *arguments, actor=True, workers=[address], pure=False))
    parts = [part.result(timeout=PATIENCE) for part in made]
    ordinals, names, processes = zip(*ask(parts, "facts", [()] * len(parts)), strict=True)
    connect(parts, range(len(hosts)) if options.host_copies else hosts, ordinals)
    print(f"heat: {len(parts)} workers on {names[0]} have the processes", *processes, flush=True)
    return parts


def solve(client, code, plate, step, field, options):
    """Yield step and temperatures of every checkpoint. Raise an error when a worker dies."""
    parts = start(client, code, plate, field, options)
    received = hand_over(ask(parts, "call", [("publish",)] * len(parts)))
    while step < options.steps:
        count = heat.next_steps(options, step, options.halo)
        received = hand_over(ask(parts, "advance", [(count, each) for each in received]))
        step += count
        if step % options.every == 0 or step == options.steps:
            yield step, np.concatenate(ask(parts, "call", [("rows",)] * len(parts)))


def wait_for_workers(client, count, seconds):
    """Wait for Dask to restart workers; if it does not, those that are left take over the rows."""
    deadline = time.monotonic() + seconds
    while len(client.run(os.getpid, on_error="ignore")) < count:  # the scheduler may still list the dead one
        if time.monotonic() > deadline:
            print(f"heat: go on with fewer than {count} workers", flush=True)
            client.wait_for_workers(1, timeout=PATIENCE)
            return
        time.sleep(0.1)


def solve_despite_deaths(client, code, plate, step, field, options):
    """Return the temperatures at the end; whenever a worker dies, begin again at the last checkpoint."""
    for remaining in reversed(range(DEATHS)):
        try:
            for step, field in solve(client, code, plate, step, field, options):  # noqa: B020 - the last ones remain
                heat.report(options, plate, step, field)
            return field
        except (OSError, RuntimeError, TimeoutError) as error:  # of actors whose worker is gone, or silent
            if not remaining or (isinstance(error, CUDAError) and error.name != "CUDA_ERROR_MAP_FAILED"):
                raise  # an error of CUDA is no death, but for opening what a dead process has shared
            print(f"heat: begin again at step {step}, since a worker is lost: {error}", flush=True)
            wait_for_workers(client, options.workers, options.wait)


def parse():
    parser = heat.parser(__doc__)
    parser.add_argument("--halo", type=int, default=4, help="rows exchanged, and steps between two exchanges")
    parser.add_argument("--host-copies", action="store_true", help="exchange through the host, as between hosts")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--wait", type=float, default=15, metavar="SECONDS", help="for Dask to restart a dead worker")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a running cluster; default: a cluster of processes")
    return parser.parse_args()


def main():
    from dask.distributed import Client, LocalCluster

    options = parse()
    plate, step, field = heat.begin(options)
    device = Device()
    device.set_current()
    code = heat.compile_step(device)
    made = options.scheduler or LocalCluster(
        n_workers=options.workers, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
    )
    with Client(made) as client:
        for module in (heat, heat_halo):  # the workers import them; Part itself is sent by value
            client.upload_file(module.__file__)
        client.wait_for_workers(options.workers, timeout=PATIENCE)
        started = time.perf_counter()
        field = solve_despite_deaths(client, code, plate, step, field, options)
        seconds = time.perf_counter() - started
    if not options.scheduler:
        made.close()
    name = f"heat_dask: {options.steps} steps by {options.workers} workers on {device.name}"
    heat.finish(options, plate, field, name, seconds)


if __name__ == "__main__":
    main()
