# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Resources of a device, split and given to contexts of their own."""

import numpy as np
from common import begin, compiled, outcome, pinned

from cuda.core import ContextOptions, LaunchConfig, SMResourceOptions, launch

device, stream = begin()
sm = device.resources.sm
print(type(sm).__name__, sm.sm_count > 0, sm.min_partition_size, sm.coscheduled_alignment, sm.flags)
half = max(sm.min_partition_size, sm.sm_count // 2 // sm.min_partition_size * sm.min_partition_size)
groups, rest = sm.split(SMResourceOptions(count=half), dry_run=True)
print(len(groups), groups[0].sm_count == half, rest.sm_count == sm.sm_count - half)
groups, rest = sm.split(SMResourceOptions(count=half))
context = device.create_context(ContextOptions(resources=groups))
print(context.is_green, type(context.resources).__name__)
(kernel,) = compiled('extern "C" __global__ void one(int *x) { *x = 1; }', "one")
own = context.create_stream()
buffer, data = pinned(1, np.int32)
launch(own, LaunchConfig(grid=1, block=1), kernel, buffer)
own.sync()
print(data, own.context == context)
print(outcome(sm.split, SMResourceOptions(count=10**6)))
own.close()
context.close()
