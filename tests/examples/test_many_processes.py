# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The applications on many devices: results, and what happens when a process of theirs is killed."""

import contextlib
import importlib
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import pytest
from PIL import Image

from cuda.core import Device

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
LIMIT = 90  # seconds for a line or the end of a program
SMALL = ("--height", "60", "--width", "80")
pytestmark = [pytest.mark.needs_nvrtc, pytest.mark.timeout(300)]


class Program:
    """A program in a session of its own, whose lines are read while it runs."""

    def __init__(self, command, folder, **variables):
        environment = os.environ | variables | {
            "DASK_TEMPORARY_DIRECTORY": str(folder),
            "CUDA_CPU_DEVICES": "2", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0",
        }  # fmt: skip
        self.process = subprocess.Popen(
            [*map(str, command)], cwd=folder, env=environment, text=True, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self.lines, self.queue = [], queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        with self.process.stdout as output:
            for line in output:
                self.queue.put(line.rstrip("\n"))
        self.queue.put(None)

    def read_until(self, pattern):
        """Return the match of the first line to come that has the pattern; None, at the end of the output, for None."""
        deadline = time.monotonic() + LIMIT
        while True:
            try:
                line = self.queue.get(timeout=max(deadline - time.monotonic(), 0.01))
            except queue.Empty:
                pytest.fail(f"waited {LIMIT} s for {pattern!r} after\n" + "\n".join(self.lines))
            if line is None:
                assert pattern is None, f"ended without {pattern!r}\n" + "\n".join(self.lines)
                return None
            self.lines.append(line)
            if pattern is not None and (found := re.search(pattern, line)):
                return found

    def processes(self):
        """Return the processes that the program names."""
        return [int(pid) for pid in self.read_until(r"have the processes ([\d ]+)")[1].split()]

    def end(self):
        """Return the exit status and the output."""
        self.read_until(None)
        return self.process.wait(LIMIT), "\n".join(self.lines)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(LIMIT)
        self.reader.join(LIMIT)


def finished(command, folder):
    """Return the last line of a program that must succeed."""
    with Program(command, folder) as program:
        status, output = program.end()
    assert status == 0, output
    return output.splitlines()[-1]


def python(name, *arguments):
    return sys.executable, EXAMPLES / name, *arguments


@pytest.fixture
def mpi():
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    mpiexec = shutil.which("mpiexec", path=f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}")
    if mpiexec is None:
        pytest.skip("no mpiexec")
    program = (sys.executable, "-m", "mpi4py", EXAMPLES / "heat_mpi.py", *SMALL)
    return lambda ranks, *arguments: (mpiexec, "-n", ranks, *program, *arguments)


def saved(path):
    with np.load(path) as checkpoint:
        return int(checkpoint["step"]), checkpoint["field"]


def has_ended(process):
    return not os.path.exists(f"/proc/{process}") or "(zombie)" in pathlib.Path(f"/proc/{process}/status").read_text()


@pytest.fixture
def heat(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    yield importlib.import_module("heat")
    del sys.modules["heat"]


@pytest.mark.parametrize("edges", ["cold", "insulated"])
def test_heat_on_one_device(heat, edges, tmp_path):
    """It compares itself with NumPy. The insulated plate loses no heat, the cold one does."""
    arguments = "--edges", edges, "--steps", 900, "--checkpoint", "c.npz", "--picture", "end.png"
    last = finished(python("heat.py", *SMALL, *arguments), tmp_path)
    assert re.fullmatch(r"heat: 900 steps on .+ in [\d.]+ s: mean temperature [\d.]+, equal to NumPy's", last)
    step, field = saved(tmp_path / "c.npz")
    assert step == 900
    mean = heat.Plate(60, 80, edges).start().mean()
    assert field.mean() == pytest.approx(mean, rel=1e-9) if edges == "insulated" else field.mean() < 0.99 * mean
    with Image.open(tmp_path / "end.png") as picture:
        warmest = np.unravel_index(np.asarray(picture).astype(int).sum(axis=2).argmax(), (60, 80))
    assert warmest == np.unravel_index(field.argmax(), field.shape)


def test_a_mode_of_the_plate_decays_as_calculated(heat):
    """The products of sines that vanish in the cells beyond the edges only become smaller, by a known factor."""
    height, width, ratio, steps = 60, 80, 0.2, 300
    down, right = np.pi / (height + 1), np.pi / (width + 1)
    mode = np.sin(down * np.arange(1, height + 1))[:, None] * np.sin(right * np.arange(1, width + 1))
    device = Device()
    device.set_current()
    slab = heat.Slab(device, heat.compile_step(device), heat.Plate(height, width, ratio=ratio), 0, mode)
    slab.step(steps)
    factor = 1 - 4 * ratio * (np.sin(down / 2) ** 2 + np.sin(right / 2) ** 2)
    np.testing.assert_allclose(slab.rows(), factor**steps * mode, rtol=1e-10)


def test_a_checkpoint_of_another_plate_is_refused(heat, tmp_path):
    plate = heat.Plate(60, 80)
    heat.save(tmp_path / "c.npz", plate, 10, plate.start())
    assert heat.load(tmp_path / "c.npz", plate)[0] == 10
    with pytest.raises(SystemExit, match=r"c.npz is a checkpoint of Plate\(height=60.+, not of Plate\(height=50"):
        heat.load(tmp_path / "c.npz", heat.Plate(50, 80))
    assert [path.name for path in tmp_path.iterdir()] == ["c.npz"]


@pytest.mark.parametrize(
    ("ranks", "arguments", "through_host"),
    [(2, (), 0), (3, ("--edges", "insulated", "--halo", 1), 0), (2, ("--host-copies", "--halo", 7), 1)],
)
def test_heat_mpi(mpi, ranks, arguments, through_host, tmp_path):
    """Ranks 0 and 2 use the first device, rank 1 the second."""
    with Program(mpi(ranks, "--steps", 150, "--every", 40, *arguments), tmp_path) as program:
        status, output = program.end()
    assert status == 0, output
    last = rf"heat_mpi: 150 steps by {ranks} ranks on .+ in [\d.]+ s: mean temperature [\d.]+, equal to NumPy's"
    assert re.fullmatch(last, output.splitlines()[-1])
    assert output.count("exchange rows through the host: --host-copies") == through_host


def test_a_killed_rank_ends_the_job_and_other_ranks_resume_it(mpi, tmp_path):
    """The result is that of a run without interruption, to the last bit."""
    with Program(mpi(2, "--steps", 10**6, "--every", 20, "--checkpoint", "c.npz"), tmp_path) as program:
        processes = program.processes()
        program.read_until("checkpoint written")
        os.kill(processes[1], signal.SIGKILL)
        status, output = program.end()
    assert status != 0
    assert "BAD TERMINATION" in output or "signal 9" in output, output  # of MPICH, of Open MPI
    deadline = time.monotonic() + 20
    while not all(map(has_ended, processes)):
        assert time.monotonic() < deadline, "a rank still runs"
        time.sleep(0.1)
    step, _ = saved(tmp_path / "c.npz")
    assert step % 20 == 0
    steps = step + 50
    with Program(mpi(3, "--steps", steps, "--checkpoint", "c.npz", "--resume"), tmp_path) as program:
        program.read_until(f"resumed at step {step}$")
        program.read_until("equal to NumPy's")
        assert program.end()[0] == 0
    finished(python("heat.py", *SMALL, "--steps", steps, "--every", steps, "--checkpoint", "whole.npz"), tmp_path)
    resumed, whole = saved(tmp_path / "c.npz"), saved(tmp_path / "whole.npz")
    assert resumed[0] == whole[0] == steps
    np.testing.assert_array_equal(resumed[1], whole[1])


def test_an_error_in_one_rank_ends_all(mpi, tmp_path):
    """As `python -m mpi4py` sees to: the other ranks wait for a broadcast of the one that has failed."""
    with Program(mpi(2, "--checkpoint", "nothing.npz", "--resume"), tmp_path) as program:
        status, output = program.end()
    assert status != 0
    assert "nothing.npz" in output
    assert "MPI_ABORT" in output.upper()


@pytest.fixture
def dask():
    pytest.importorskip("distributed", reason="dask[distributed] is not installed")
    return lambda *arguments: python("heat_dask.py", *SMALL, *arguments)


def test_heat_dask_through_the_host(dask, tmp_path):
    arguments = "--steps", 100, "--workers", 3, "--host-copies", "--edges", "insulated"
    with Program(dask(*arguments), tmp_path) as program:
        status, output = program.end()
    assert status == 0, output
    assert output.count("exchange rows through the host") == 2
    last = r"heat_dask: 100 steps by 3 workers on .+ in [\d.]+ s: mean temperature [\d.]+, equal to NumPy's"
    assert re.fullmatch(last, output.splitlines()[-1])


def test_heat_dask_goes_on_when_a_worker_is_killed(dask, tmp_path):
    """Dask starts the worker again, and the program makes new slabs of the last checkpoint. The bits are the same."""
    with Program(dask("--steps", 600, "--every", 20, "--checkpoint", "c.npz"), tmp_path) as program:
        processes = program.processes()
        program.read_until("checkpoint written")
        os.kill(processes[1], signal.SIGKILL)
        lost = int(program.read_until(r"begin again at step (\d+), since a worker is lost")[1])
        again = program.processes()
        following = int(program.read_until(r"step (\d+) of 600")[1])
        program.read_until("equal to NumPy's")
        status, output = program.end()
    assert status == 0, output
    assert following == lost + 20
    assert processes[0] in again
    assert processes[1] not in again
    assert len(again) == 2
    assert "exchange rows through the host" not in output


def test_an_error_of_cuda_is_no_death(dask, tmp_path):
    """It would occur again. The plate needs 8 MB per worker."""
    arguments = "--steps", 10, "--height", 1000, "--width", 1000
    with Program(dask(*arguments), tmp_path, CUDA_CPU_MEMORY="4M") as program:
        status, output = program.end()
    assert status == 1
    assert re.search(r"^cuda\.core\S*CUDAError: CUDA_ERROR_OUT_OF_MEMORY", output, re.MULTILINE)
    assert "begin again" not in output


def test_the_remaining_workers_take_over_the_rows(dask, tmp_path):
    """Of a cluster that does not start workers again."""
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard", "--port", 0]
    with contextlib.ExitStack() as stack:
        scheduler = stack.enter_context(Program([*command, "--host", "127.0.0.1"], tmp_path))
        address = scheduler.read_until(r"Scheduler at: +(tcp://[\d.:]+)")[1]
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--nthreads", 1]
        for _ in range(2):
            stack.enter_context(Program([*worker, "--no-dashboard"], tmp_path))
        arguments = "--scheduler", address, "--steps", 600, "--every", 20, "--wait", 1
        program = stack.enter_context(Program(dask(*arguments), tmp_path))
        processes = program.processes()
        program.read_until("step 20 of 600")
        os.kill(processes[0], signal.SIGKILL)
        program.read_until("go on with fewer than 2 workers")
        assert program.processes() == processes[1:]
        program.read_until("equal to NumPy's")
        assert program.end()[0] == 0


@pytest.fixture
def ray_folder():
    """A folder for Ray's files. Its name is short, for the names of sockets in it."""
    pytest.importorskip("ray", reason="ray is not installed")
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as folder:
        yield folder


def uses(process, library):
    return library in pathlib.Path(f"/proc/{process}/maps").read_text()


def test_a_sweep_on_ray_survives_a_killed_worker(ray_folder, tmp_path):
    """Only the program itself loads the compiler. A result that an earlier run has written is not computed again."""
    results = tmp_path / "results"
    results.mkdir()
    np.save(results / "0.03-0.063-40-1500.npy", np.zeros((40, 40), np.float32))
    command = python("sweep_ray.py", "--size", 40, "--steps", 1500, "--results", results, "--picture", "sweep.png")
    with Program(command, tmp_path, RAY_TMPDIR=ray_folder) as program:
        processes = program.processes()
        program.read_until("sweep: 2 of 12")
        assert not any(uses(process, "nvrtc") for process in processes)
        assert uses(program.process.pid, "nvrtc")
        os.kill(processes[0], signal.SIGKILL)
        program.read_until(r"sweep_ray: 12 simulations by 2 workers in [\d.]+ s, the middle one equal to NumPy's")
        status, output = program.end()
    assert status == 0, output
    computed = re.findall(r"sweep: (\d+) of 12: feed (\S+), kill (\S+), by process (\d+)", output)
    assert [int(number) for number, *_ in computed] == list(range(2, 13))
    assert ("0.03", "0.063") not in [(feed, kill) for _, feed, kill, _ in computed]
    started = {int(process) for *_, process in computed} - set(processes)
    assert len(started) <= 1, "Ray replaces the killed process, if the other one has not computed everything before"
    assert (tmp_path / "sweep.png").stat().st_size > 1000
    files = sorted(results.iterdir())
    assert len(files) == 12
    assert {path.suffix for path in files} == {".npy"}
