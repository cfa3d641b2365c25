# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The runtime's threads, shutdown at exit, and fork."""

import os
import subprocess
import sys

import pytest
from support.warp_kernels import WAIT

PRELUDE = """
import os, sys, threading, pathlib, numpy as np
from cuda.cpu.runtime import _runtime as runtime
image = runtime.Image(pathlib.Path(sys.argv[1]).read_bytes())
queue = runtime.Queue()
params = np.zeros(2, np.uint64)
def launch(name, fibers=False, blocks=50):
    grid = runtime.CompiledKernel(image.address(name), name, 0, 0, 0, 16, fibers, image)
    queue.launch(grid, (blocks, 1, 1), (64, 1, 1), (1, 1, 1), 0, params.ctypes.data, False, 1)
def name_of(thread):
    try: return pathlib.Path(f"/proc/self/task/{thread}/comm").read_text().strip()
    except OSError: return ""  # it has ended
def threads():
    return sorted(filter(None, map(name_of, os.listdir("/proc/self/task"))))
"""


def run(image_file, script, **environment):
    return subprocess.run(
        [sys.executable, "-c", PRELUDE + script, str(image_file)],
        capture_output=True, text=True, timeout=WAIT, env=os.environ | environment, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("fibers", [False, True])
def test_exit_while_kernels_run(image_file, fibers):
    done = run(image_file, f"launch('spin', {fibers}); print(queue.wait(0.01))")
    assert (done.returncode, done.stdout, done.stderr) == (0, "False\n", "")


def test_exit_while_others_wait_and_use_the_device(image_file):
    script = """
launch('spin')
def use():
    while True:
        try: runtime.Queue().fill(params.ctypes.data, 0, 1, 1)
        except RuntimeError: return
threading.Thread(target=lambda: queue.wait(-1), daemon=True).start()
threading.Thread(target=use, daemon=True).start()
"""
    done = run(image_file, script)
    assert (done.returncode, done.stderr) == (0, "")


def test_after_shutdown_nothing_runs_and_nothing_hangs(image_file):
    script = """
event = runtime.Event()
launch('spin'); queue.record(event)
runtime.shutdown(); runtime.shutdown()
print(queue.wait(-1), event.wait(-1))
while any(name.startswith("cuda-") for name in threads()): pass  # they leave a moment later
try: launch('empty')
except RuntimeError as error: print(error)
"""
    done = run(image_file, script)
    assert done.stdout == "True True\nthe CPU device is shut down\n"
    assert done.returncode == 0


def test_threads_are_named_and_started_late(image_file):
    script = """
print(*threads())
launch('empty'); queue.wait(-1)
launch('spin')
while 'cuda-worker-2' not in threads() or 'cuda-worker-1' not in threads(): pass
print(*threads())
"""
    done = run(image_file, script, CUDA_CPU_WORKERS="3")
    before, after = done.stdout.splitlines()
    assert "cuda" not in before
    assert set(after.split()) >= {"cuda-queue", "cuda-worker-1", "cuda-worker-2"}
    assert "cuda-worker-3" not in after


@pytest.mark.parametrize(("text", "count"), [("1", 1), ("7", 7), ("many", None), ("-3", None)])
def test_workers_of_the_environment(image_file, text, count):
    done = run(image_file, "print(runtime.workers(), len(os.sched_getaffinity(0)))", CUDA_CPU_WORKERS=text)
    workers, cores = map(int, done.stdout.split())
    assert workers == (count or cores)


def test_child_of_a_fork_is_told(image_file):
    script = """
launch('spin', blocks=8)
queue.wait(0.01)
arena, event = runtime.Arena(1 << 20), runtime.Event()
pid = os.fork()
if pid == 0:
    for use in (lambda: launch('empty'), lambda: queue.wait(-1), queue.is_idle, runtime.Queue, runtime.Event,
                lambda: arena.allocate(5), event.is_done, lambda: runtime.Arena(5), runtime.flush_printf, queue.cancel):
        try: use()
        except RuntimeError as error: assert "fork" in str(error), error
        else: os._exit(1)
    queue.close(); runtime.shutdown()
    del queue, event, arena
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
queue.cancel(); print(queue.wait(10))
"""
    done = run(image_file, script)
    assert done.stdout.split() == ["7", "True"], done.stderr
