# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Faults of kernels become Python exceptions and do not end the process; each case runs in a process of its own."""

import copy
import functools
import importlib
import pathlib
import pickle
import re
import threading

import pytest
from support.scripts import run_checked, run_script

import cuda.core
from cuda.core import CUDAError, NVRTCError
from cuda.core._errors import driver_error

pytestmark = pytest.mark.needs_nvrtc

SETUP = """
import gc, os, signal, sys, threading
import numpy as np
from cuda.core import CUDAError, Device, LaunchConfig, LegacyPinnedMemoryResource, Linker, LinkerOptions
from cuda.core import Module, Program, ProgramOptions, launch

device = Device(0)
device.set_current()
stream = device.create_stream()
one = LaunchConfig(grid=1, block=1)
module = Module.from_source('''
extern "C" {
__global__ void write_at(int *x, long long index) { x[index] = 1; }
__global__ void fail(int *x) { asm("trap;"); }
__global__ void spin(volatile int *x) { while (x[0] == 0); }
__global__ void store(int *x) { x[0] = 7; }
}''')
buffer = device.allocate(64, stream=stream)
"""


def script(text):
    return SETUP + text


def test_an_out_of_bounds_access_is_reported_by_a_later_call():
    said = run_checked(
        script("""
try:
    launch(stream, one, module.write_at, buffer, 1 << 24)
    stream.sync()
except CUDAError as error:
    print(error.name, error.call)
    print(error)
for use in (stream.sync, lambda: device.allocate(8, stream=stream), stream.record):
    try:
        use()
    except CUDAError as error:
        print(error.name)
del buffer
gc.collect()
print('alive')
""")
    )
    lines = said.splitlines()
    assert lines[0] == "CUDA_ERROR_ILLEGAL_ADDRESS cuStreamSynchronize"
    assert "The cause may be a kernel or copy started earlier" in said
    assert lines[-4:] == ["CUDA_ERROR_ILLEGAL_ADDRESS"] * 3 + ["alive"]


@pytest.mark.cpu_only
def test_an_out_of_bounds_error_names_kernel_and_allocation():
    said = run_checked(
        script("""
launch(stream, one, module.write_at, buffer, 1 << 20)
try:
    stream.sync()
except CUDAError as error:
    print(error)
""")
    )
    assert "kernel 'write_at', block (0, 0, 0)" in said
    assert "past the end of the device allocation of 64 bytes" in said


def test_trap():
    said = run_checked(
        script("""
launch(stream, one, module.fail, buffer)
try:
    stream.sync()
except CUDAError as error:
    print(error.name)
print('alive')
""")
    )
    assert said.splitlines()[-1] == "alive"
    assert said.splitlines()[0] in ("CUDA_ERROR_LAUNCH_FAILED", "CUDA_ERROR_ILLEGAL_INSTRUCTION")


@pytest.mark.cpu_only
@pytest.mark.parametrize("wait", ["stream.sync()", "device.sync()", "stream.record().sync()"])
def test_an_endless_kernel_is_interrupted_by_ctrl_c(wait):
    said = run_checked(
        script(f"""
signal.signal(signal.SIGINT, signal.default_int_handler)
buffer.fill(0, stream=stream)
launch(stream, one, module.spin, buffer)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    {wait}
except KeyboardInterrupt:
    print('KeyboardInterrupt')
try:
    {wait}
except CUDAError as error:
    print(error.name, 'results are incomplete' in str(error))
stream.sync()
print('alive')
""")
    )
    assert said.split() == ["KeyboardInterrupt", "CUDA_ERROR_ILLEGAL_STATE", "True", "alive"]


def test_a_spinning_kernel_sees_the_host():
    said = run_checked(
        script("""
with LegacyPinnedMemoryResource().allocate(4) as flag:
    view = np.frombuffer(flag, np.int32)
    view[0] = 0
    launch(stream, one, module.spin, flag)
    print(stream.is_done)
    view[0] = 1
    stream.sync()
    print(stream.is_done)
    del view
""")
    )
    assert said.split() == ["False", "True"]


@pytest.mark.cpu_only
def test_without_llvmlite(tmp_path):
    text = script("""
try:
    launch(stream, one, module.store, buffer)
except CUDAError as error:
    print(error)
print('alive')
""")
    done = run_script("import sys; sys.modules['llvmlite'] = None" + text, CUDA_CPU_CACHE=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("CUDA_ERROR_JIT_COMPILER_NOT_FOUND")
    assert "pip install 'open-cuda-python[cpu]'" in done.stdout
    assert done.stdout.endswith("alive\n")


@pytest.mark.needs_nvjitlink
def test_exit_prints_nothing():
    done = run_script(
        script("""
launch(stream, one, module.store, buffer)
event = stream.record()
pinned = LegacyPinnedMemoryResource().allocate(4)
array = np.from_dlpack(pinned)
program = Program('extern "C" __global__ void k() {}', 'c++', ProgramOptions(arch='sm_90'))
linker = Linker(program.compile('cubin'), options=LinkerOptions(arch='sm_90'))
keep = [program, linker, device, stream, module, buffer, event, pinned, array]
keep.append(keep)
""")
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_objects_are_finalised_in_other_threads():
    said = run_checked(
        script("""
box = [[device.create_stream(), device.create_event(), device.allocate(64, stream=stream),
        device.allocate(64, stream=device.default_stream), LegacyPinnedMemoryResource().allocate(4), module.store]]
thread = threading.Thread(target=lambda: (box.clear(), gc.collect()))
thread.start()
thread.join()
print('alive')
""")
    )
    assert said == "alive\n"


def test_error_attributes_and_pickle():
    error = driver_error("CUDA_ERROR_INVALID_VALUE", "invalid argument", 1, "cuFoo", "Do this.")
    assert str(error) == "CUDA_ERROR_INVALID_VALUE: invalid argument (cuFoo)\nDo this."
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.name, again.status, again.call) == (
        CUDAError,
        str(error),
        "CUDA_ERROR_INVALID_VALUE",
        1,
        "cuFoo",
    )
    assert isinstance(error, RuntimeError)
    assert issubclass(NVRTCError, CUDAError)


def public_exceptions():
    """Return every exception class of the public modules of this project by its name."""
    names = [
        f"cuda.bindings.{name}" for name in ("driver", "runtime", "nvrtc", "nvjitlink", "nvvm", "nvml", "nvfatbin")
    ]
    names += ["cuda.bindings.cufile", "cuda.bindings.cudla", "cuda.core", "cuda.core.system.exceptions"]
    names += [f"cuda.core.{name}" for name in ("checkpoint", "graph", "system", "texture", "typing", "utils")]
    found = {}
    for name in names:
        module = importlib.import_module(name)
        for each in map(functools.partial(getattr, module), dir(module)):
            if isinstance(each, type) and issubclass(each, BaseException) and each.__module__.startswith("cuda."):
                found[f"{each.__module__}.{each.__qualname__}"] = each
    return found


EXCEPTIONS = public_exceptions()


@pytest.mark.parametrize("kind", EXCEPTIONS.values(), ids=EXCEPTIONS)
def test_every_public_exception_can_be_pickled(kind):
    """They reach the parent of a process in which they are raised."""
    error = kind(1)  # the classes of cuda.bindings are made from a status
    error.note = "an attribute"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.args, vars(again)) == (kind, str(error), error.args, vars(error))


def test_there_are_public_exceptions():
    assert len(EXCEPTIONS) > 40


def test_errors_have_advice_and_mention_asynchronous_faults():
    error = driver_error("CUDA_ERROR_NOT_READY", "device not ready", 600, "cuFoo")
    assert "sync() first" in str(error)
    error = driver_error("CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure", 719, "cuFoo")
    assert "may be a kernel or copy started earlier" in str(error)


def test_no_exception_is_printed_before_unraisablehook_gets_it():
    """Cython does that by default, with PyErr_Print, which ends the process if the exception is SystemExit."""
    printed = re.compile(r'__Pyx_WriteUnraisable\("([\w.]+)", \w+, \w+, \w+, 1, \d\);')
    sources = pathlib.Path(cuda.core.__file__).parent.rglob("*.c")
    assert [name for source in sources for name in printed.findall(source.read_text())] == []


def test_advice_about_the_current_device_is_for_threads_without_one(device):
    def say():
        errors.append(str(driver_error("CUDA_ERROR_INVALID_CONTEXT", "invalid device context", 201, "cuFoo")))

    errors = []
    say()
    thread = threading.Thread(target=say)
    thread.start()
    thread.join()
    assert ["call Device().set_current() on it first" in error for error in errors] == [False, True]


def test_process_local_objects_are_not_pickled(device, stream, module):
    with device.allocate(8, stream=stream) as buffer:
        for thing in (stream, stream.record(), device.context, device.properties, device.resources):
            with pytest.raises(
                TypeError, match=r"^an? \w+ belongs to this process: it can be neither pickled nor copied$"
            ):
                pickle.dumps(thing)
            with pytest.raises(TypeError, match=r"it can be neither pickled nor copied$"):
                copy.copy(thing)
        with pytest.raises(TypeError, match=r"^a Kernel belongs to this process: .*; send its ObjectCode"):
            pickle.dumps(module.empty)
        with pytest.raises(
            TypeError, match=r"^a DeviceArray belongs to this process: .*; use to_host\(\) for its values"
        ):
            copy.copy(device.empty(2, "f4"))  # as Matplotlib does
        for thing in (buffer, buffer.memory_resource):
            with pytest.raises(RuntimeError, match=r"cannot be sent or copied: .* made with ipc_enabled=True$"):
                copy.copy(thing)


def test_objects_lost_in_a_reset_are_finalised_silently():
    run = run_script(
        """
        from cuda.bindings import driver
        from cuda.core import Device

        device = Device()
        device.set_current()
        stream = device.create_stream()
        buffer, event = device.allocate(64, stream=stream), stream.record()
        driver.cuDevicePrimaryCtxReset(0)
        del buffer, event, stream
        print("done")
        """
    )
    assert (run.stdout, run.stderr) == ("done\n", "")


AFTER = """
        from cuda.bindings import driver
        from cuda.core import Device, LegacyPinnedMemoryResource
        import numpy

        device = Device()
        device.set_current()
        stream = device.create_stream()
"""


@pytest.mark.cpu_only
def test_what_a_reset_has_destroyed_is_not_destroyed_again():
    """On NVIDIA's driver, such a call is an access to freed memory; here it would be an error in the log."""
    run = run_script(
        AFTER
        + """
        closed, event = device.create_event(), stream.record()
        driver.cuDevicePrimaryCtxReset(0)
        closed.close()
        del event, stream
        print("done")
        """,
        CUDA_CPU_LOG="1",
    )
    assert (run.stdout, run.stderr) == ("done\n", "")


@pytest.mark.cpu_only
def test_freeing_does_not_use_a_stream_that_a_reset_has_destroyed():
    """On NVIDIA's driver, such a call is an access to freed memory; here it would be an error in the log."""
    run = run_script(
        AFTER
        + """
        buffer = device.allocate(64, stream=stream)
        driver.cuDevicePrimaryCtxReset(0)
        del buffer
        print("done")
        """,
        CUDA_CPU_LOG="all",
    )
    assert run.stdout == "done\n"
    assert "cuMemFreeAsync" not in run.stderr


def test_memory_freed_through_the_driver_is_reported():
    """Freeing memory of a live Buffer through the driver is an error, also if the device was reset before."""
    run = run_script(
        AFTER
        + """
        for turn in range(2):
            buffer = device.allocate(64, stream=stream)
            assert driver.cuMemFree(buffer.handle) == (0,)
            del buffer
            pinned = LegacyPinnedMemoryResource().allocate(64)
            assert turn or driver.cuMemFreeHost(pinned.handle) == (0,)
            del pinned
            driver.cuDevicePrimaryCtxReset(0)
            device.set_current()
            stream = device.create_stream()
        """
    )
    told = run.stderr.count("Exception ignored in: 'cuda.core._memory._buffer.Buffer.__del__'")
    assert (run.returncode, told) == (0, 3), run.stderr
    assert "CUDA_ERROR_INVALID_VALUE" in run.stderr


def test_memory_of_every_kind_lost_in_a_reset_is_finalised_silently():
    run = run_script(
        AFTER
        + """
        pinned = LegacyPinnedMemoryResource().allocate(64)
        view = memoryview(pinned)
        exported = numpy.from_dlpack(LegacyPinnedMemoryResource().allocate(64))
        on_default = device.allocate(64, stream=device.default_stream)
        later = device.allocate(64, stream=stream)
        driver.cuDevicePrimaryCtxReset(0)
        device.set_current()
        later.set_deallocation_stream(device.create_stream())
        pinned.close()
        del pinned, view, exported, on_default, later
        print("done")
        """
    )
    assert (run.stdout, run.stderr) == ("done\n", "")


LEAKING = """
from cuda.core import Device, DeviceMemoryResource, LegacyPinnedMemoryResource
import numpy

device = Device()
device.set_current()
with device.create_stream() as stream, device.allocate(64, stream=stream) as buffer:
    with LegacyPinnedMemoryResource().allocate(8, stream=stream) as pinned:
        array = numpy.from_dlpack(pinned, copy=True)
del array
print("all closed", flush=True)
stream = device.create_stream()
buffer = device.allocate(64, stream=stream)
pool = DeviceMemoryResource(device, {"max_size": 1 << 20})
event = stream.record()
del buffer, pool, event
del stream
print("done", flush=True)
kept = device.create_stream()
"""


def test_development_mode_warns_of_unclosed_objects():
    run = run_script(LEAKING, "-X", "dev")
    said = [line for line in run.stderr.splitlines() if "ResourceWarning: unclosed" in line]
    assert [line.split("unclosed <")[1].split()[0] for line in said] == ["Buffer", "DeviceMemoryResource", "Stream"]
    assert all(line.endswith("close it, or use it in a with statement") for line in said)
    strict = run_script(LEAKING, "-X", "dev", "-W", "error")
    assert strict.stdout == run.stdout == "all closed\ndone\n"
    assert strict.stderr.count("ResourceWarning: unclosed <Stream") == 1
    quiet = run_script(LEAKING)
    assert (quiet.stdout, quiet.stderr) == (run.stdout, "")


def test_code_alive_at_exit_is_unloaded_silently():
    run = run_script(
        """
        import sys
        from cuda.core import Device, ObjectCode

        Device().set_current()
        code = ObjectCode.from_ptx(b".version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .entry f() { ret; }")

        class Keeper:
            kernel = code.get_kernel("f")

        Keeper.itself = sys.keeper = Keeper()
        """
    )
    assert run.stderr == ""


@pytest.mark.parametrize("kind", ["stream", "event", "buffer", "resource"])
def test_closed_error_is_a_value_error_and_a_runtime_error(device, stream, kind):
    from cuda.core import ClosedError, DeviceMemoryResource

    made = {
        "stream": (device.create_stream, lambda closed: closed.sync()),
        "event": (device.create_event, lambda closed: closed.sync()),
        "buffer": (lambda: device.allocate(8, stream=stream), lambda closed: closed.fill(0, stream=stream)),
        "resource": (lambda: DeviceMemoryResource(0, {}), lambda closed: closed.attributes),
    }
    make, use = made[kind]
    closed = make()
    closed.close()
    for error in (ClosedError, ValueError, RuntimeError):
        with pytest.raises(error, match=r"^this \w+ is closed$"):
            use(closed)


@pytest.mark.parametrize(
    "use", ["stream.sync()", "device.allocate(4, stream=stream)", "load()", "device.create_stream()"]
)
def test_the_error_in_a_forked_child_advises_spawn(use):
    """Errors of the child do not mention earlier errors of the parent."""
    said = run_checked(
        f"""
        import os
        from cuda.core import Device, ObjectCode
        device = Device(); device.set_current(); stream = device.create_stream()
        text = b".version 8.0\\n.target sm_75\\n.address_size 64\\n.visible .entry k(.param .u64 p) {{ ret; }}"
        load = lambda: ObjectCode.from_ptx(text).get_kernel("k")
        load().num_arguments  # asks for parameters until there are none
        child = os.fork()
        if not child:
            try:
                {use}
            except Exception as error:
                print(str(error).splitlines()[-1], "parameters" in str(error), flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        """,
        "-W",
        "ignore",
    )
    assert said == "CUDA cannot be used in a forked child process; use the spawn start method False\n"
