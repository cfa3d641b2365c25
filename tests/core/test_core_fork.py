# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What a forked child has of a driver call that another thread was in."""

import pytest
from support.scripts import run_checked

FORKING = """
import gc, os, threading, time
import numpy as np
from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, ObjectCode, launch

PTX = b'''.version 8.0
.target sm_80
.address_size 64
.visible .entry spin(.param .u64 at) {
  .reg .pred %p; .reg .b64 %d; .reg .b32 %r;
  ld.param.u64 %d, [at];
again:
  ld.volatile.global.u32 %r, [%d];
  setp.eq.u32 %p, %r, 0;
  @%p bra again;
  ret;
}
'''
device = Device()
device.set_current()
stream = device.create_stream()
flag = LegacyPinnedMemoryResource().allocate(4, stream=stream)
view = np.frombuffer(flag, np.uint32)
view[0] = 0
code = ObjectCode.from_ptx(PTX)
launch(stream, LaunchConfig(grid=1, block=1), code.get_kernel("spin"), flag)


def wait():
    device.set_current()
    stream.sync()


waiting = threading.Thread(target=wait)
waiting.start()
while gc.isenabled():
    time.sleep(0.001)
child = os.fork()
if child == 0:
    os._exit(10 + gc.isenabled())
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
view[0] = 1
waiting.join()
print(gc.isenabled())
"""


@pytest.mark.cpu_only
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_garbage_is_collected_in_a_child_forked_during_a_call():
    assert run_checked(FORKING).split() == ["11", "True"]
