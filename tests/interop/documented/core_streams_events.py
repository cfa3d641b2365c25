# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Streams and events: options, order between streams, timing, default streams."""

import numpy as np
from common import begin, compiled, outcome, pinned

from cuda.core import (
    LEGACY_DEFAULT_STREAM,
    PER_THREAD_DEFAULT_STREAM,
    EventOptions,
    LaunchConfig,
    Stream,
    StreamOptions,
    launch,
)

device, stream = begin()
print(stream.is_nonblocking, stream.priority, stream.device, stream.context == device.context, stream.is_closed)
blocking = device.create_stream(options=StreamOptions(nonblocking=False, priority=-1))
print(blocking.is_nonblocking, blocking.priority)
print(outcome(device.create_stream, options=StreamOptions(priority=1000)))
print(LEGACY_DEFAULT_STREAM.__cuda_stream__(), PER_THREAD_DEFAULT_STREAM.__cuda_stream__())
print(stream.__cuda_stream__()[0], Stream.from_handle(int(stream.handle)) == stream)
buffer, data = pinned(1, np.int64)
(kernel,) = compiled('extern "C" __global__ void add(long long *x, long long y) { *x += y; }', "add")
one = LaunchConfig(grid=1, block=1)
launch(stream, one, kernel, buffer, np.int64(5))
event = stream.record()
blocking.wait(event)
launch(blocking, one, kernel, buffer, np.int64(7))
stream.wait(blocking)
launch(stream, one, kernel, buffer, np.int64(1))
stream.sync()
print(data, event.is_done, event.is_timing_enabled, event.is_blocking_sync, event.is_ipc_enabled, event.device)
timed = EventOptions(timing_enabled=True)
start = stream.record(options=timed)
launch(stream, one, kernel, buffer, np.int64(1))
end = stream.record(options=timed)
end.sync()
print(type(end - start).__name__, end - start >= 0)
print(outcome(lambda: event - start), outcome(lambda: end - event), outcome(lambda: end - 1))
print(outcome(stream.record, "event"))
again = device.create_event(timed)
print(stream.record(again) is again, again == again, again == end)
event.close()
print(event.is_closed, int(event.handle or 0))
stream.close()
print(stream.is_closed, end.is_done)
for call in (stream.sync, stream.record):
    try:
        call()
    except RuntimeError as error:
        print("closed" in str(error))
