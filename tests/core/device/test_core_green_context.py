# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Resources of devices, splitting them, and green contexts made of the groups."""

import gc

import numpy as np
import pytest
from support.scripts import run_checked

from cuda.core import (
    Context,
    ContextOptions,
    CUDAError,
    DeviceResources,
    LaunchConfig,
    SMResource,
    SMResourceOptions,
    StreamOptions,
    WorkqueueResource,
    WorkqueueResourceOptions,
    launch,
)


@pytest.fixture
def sms(device):
    return device.resources.sm


@pytest.fixture
def green(device, sms):
    (part,), _ = sms.split({"count": sms.min_partition_size})
    with device.create_context(ContextOptions([part])) as context:
        yield context


def test_resources_of_a_device(since_13_1, device, sms):
    assert sms.sm_count == device.properties.multiprocessor_count
    assert sms.min_partition_size >= 1
    assert sms.coscheduled_alignment >= 1
    assert sms.flags == 0
    assert int(sms.handle.type) == 1
    assert repr(sms) == f"<SMResource of {sms.sm_count} multiprocessors>"
    queues = device.resources.workqueue
    assert queues.concurrency_limit >= 1
    assert queues.sharing_scope in ("device_ctx", "green_ctx_balanced")
    assert queues.device is device
    assert int(queues.handle.type) == 1000


def test_split(sms):
    least = sms.min_partition_size
    (part,), rest = sms.split(SMResourceOptions(count=least))
    assert (part.sm_count, rest.sm_count) == (least, sms.sm_count - least)
    (whole,), nothing = sms.split(SMResourceOptions())
    assert whole.sm_count + nothing.sm_count == sms.sm_count
    (guess,), _ = sms.split({"count": least}, dry_run=True)
    assert guess.sm_count == least
    assert "of a dry run" in repr(guess)
    with pytest.raises(RuntimeError, match=r"^this SMResource came of a dry run: there is nothing to divide$"):
        guess.split({"count": least})


@pytest.mark.cpu_only
def test_split_into_several():
    said = run_checked(
        """
        from cuda.core import Device, SMResourceOptions

        sms = Device(0).resources.sm
        parts, rest = sms.split(SMResourceOptions(count=(1, 2, 3), backfill=(True, False, False)))
        print([part.sm_count for part in parts], rest.sm_count)
        parts, rest = rest.split({"count": (1, 1)})
        print([part.sm_count for part in parts], rest.sm_count)
        """,
        CUDA_CPU_WORKERS="8",
    )
    assert said.splitlines() == ["[1, 2, 3] 2", "[1, 1] 0"]


def test_sm_groups():
    assert SMResourceOptions()._groups() == [(0, 0, 0, 0)]
    assert SMResourceOptions(4, 2, 4, True)._groups() == [(4, 2, 4, 1)]
    assert SMResourceOptions(0)._groups() == SMResourceOptions()._groups()
    assert SMResourceOptions([4, 0], 2, backfill=[True, False])._groups() == [(4, 2, 0, 1), (0, 2, 0, 0)]
    assert SMResourceOptions([4, None], 2, backfill=[True, False])._groups() == [(4, 2, 0, 1), (0, 2, 0, 0)]


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"count": -1}, ValueError, r"^count must be at least 0, not -1; 0 and None leave it to the driver$"),
        ({"count": "4"}, TypeError, r"^count must be an int, a sequence of int or None, not '4'$"),
        ({"count": []}, ValueError, r"^count is empty: give the size of one group or more$"),
        ({"count": [1, 2.5]}, TypeError, r"^count must be an int, a sequence of int or None, not 2.5$"),
        ({"count": 4, "backfill": [True, False]}, ValueError, r"^backfill has 2 members, but count makes 1 group"),
        ({"count": [4], "coscheduled_sm_count": [1, 2]}, ValueError, r"^coscheduled_sm_count has 2 members, but count"),
    ],
)
def test_wrong_sm_groups(sms, fields, error, message):
    with pytest.raises(error, match=message):
        sms.split(SMResourceOptions(**fields))


def test_too_many_sms(sms):
    with pytest.raises(CUDAError):
        sms.split({"count": sms.sm_count + 1})


def test_work_queues(since_13_1, device):
    queues = device.resources.workqueue
    queues.configure(WorkqueueResourceOptions("green_ctx_balanced", 4))
    assert (queues.sharing_scope, queues.concurrency_limit) == ("green_ctx_balanced", 4)
    queues.configure({"concurrency_limit": 2})
    assert (queues.sharing_scope, queues.concurrency_limit) == ("green_ctx_balanced", 2)
    assert repr(queues) == "<WorkqueueResource green_ctx_balanced, 2 streams at once>"
    with device.create_context(ContextOptions([device.resources.sm, queues])) as context:
        assert context.resources.workqueue.concurrency_limit == 2
    with pytest.raises(ValueError, match=r"^sharing_scope must be one of 'device_ctx', 'green_ctx_balanced' or None"):
        WorkqueueResourceOptions("all")
    for limit in (0, 1.5, True):
        with pytest.raises(ValueError, match=r"^concurrency_limit must be an int of at least 1 or None, not "):
            WorkqueueResourceOptions(concurrency_limit=limit)


def test_kernels_run_in_a_green_context(since_13_1, module, device, green, sms, upload, host):
    assert green.is_green
    assert not device.context.is_green
    assert green.resources.sm.sm_count == sms.min_partition_size
    assert green.device is device
    with green.create_stream() as stream, upload(np.zeros(1 << 12, "i4")) as data:
        device.sync()
        assert stream.context is green
        assert stream.device is device
        assert stream.is_nonblocking
        assert stream.resources.sm.sm_count == sms.min_partition_size
        launch(stream, LaunchConfig(grid=16, block=256), module.add_one, data, 1 << 12)
        stream.sync()
        assert set(host(data, "i4")) == {1}


def test_current_context(device, green):
    before = device.set_current(green)
    assert before == device.context or not before.is_green
    assert device.context is green
    with pytest.raises(RuntimeError, match=r"^this Context is current in this thread: set another one first"):
        green.close()
    assert not green.is_closed
    with device.create_stream() as stream:
        stream.sync()
    assert device.set_current(before) is green
    assert device.context == before


def test_close(device, sms):
    context = device.create_context(ContextOptions(resources=[device.resources.sm]))
    assert context.resources.sm.sm_count == sms.sm_count
    assert repr(context).startswith("<green Context 0x")
    assert int(context.handle)
    context.close()
    context.close()
    assert context.is_closed
    assert context.handle is None
    for use in (context.create_stream, lambda: context.resources, context.__enter__):
        with pytest.raises(ValueError, match=r"^this Context is closed$"):
            use()
    with pytest.raises(ValueError, match=r"^ctx is closed$"):
        device.set_current(context)


def test_a_stream_keeps_its_context_alive(device):
    stream = device.create_context(ContextOptions(resources=[device.resources.sm])).create_stream()
    gc.collect()
    assert stream.context.is_green
    stream.sync()
    stream.close()


def test_streams_of_a_green_context(green):
    with green.create_stream(StreamOptions(priority=0)) as stream:
        assert stream.priority == 0
    with pytest.raises(ValueError, match=r"^priority is 99, but the device's are "):
        green.create_stream({"priority": 99})
    with pytest.raises(ValueError, match=r"^options.nonblocking must be True: streams of green contexts"):
        green.create_stream(StreamOptions(nonblocking=False))


def test_wrong_contexts(device, sms):
    (imagined,), _ = sms.split({}, dry_run=True)
    for resources, error, message in [
        ([], ValueError, r"^resources is empty: give an SMResource, a WorkqueueResource, or one of each$"),
        (sms, TypeError, r"^resources must be a sequence of SMResource and WorkqueueResource, not <SMResource"),
        ([1], TypeError, r"^resources\[0\] must be an SMResource or a WorkqueueResource, not int$"),
        ([imagined], ValueError, r"^resources\[0\] came of a dry run: split without dry_run$"),
        ([sms, sms], ValueError, r"^resources has several of one kind"),
    ]:
        with pytest.raises(error, match=message):
            device.create_context(ContextOptions(resources))
    for kind in (SMResource, WorkqueueResource, DeviceResources, Context):
        with pytest.raises(RuntimeError, match=r"is not made directly"):
            kind()


def test_kernels_run_in_both_halves_of_a_split_device(device, module, sms, upload, host):
    if sms.sm_count < 2 * sms.min_partition_size:
        pytest.skip("the device cannot be halved")
    half = sms.sm_count // 2 // sms.min_partition_size * sms.min_partition_size
    (first,), rest = sms.split({"count": half})
    with (
        device.create_context({"resources": [first]}) as one,
        device.create_context({"resources": [rest]}) as two,
        one.create_stream() as here,
        two.create_stream() as there,
        upload(np.zeros(1024, "i4")) as data,
    ):
        device.sync()
        config = LaunchConfig(grid=4, block=256)
        launch(here, config, module.add_one, data, 1024)
        there.wait(here)
        launch(there, config, module.add_one, data, 1024)
        there.sync()
        assert set(host(data, "i4")) == {2}
        assert one != two
