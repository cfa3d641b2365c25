# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Time calls of cuda.bindings.driver on a driver that does nothing: what is left is the binding's own cost."""

import pyperf

from cuda.bindings import driver

if __name__ == "__main__":
    runner = pyperf.Runner()
    driver.cuInit(0)
    stream, event = driver.CUstream(0x1000), driver.CUevent(0x2000)
    pointer = driver.CUdeviceptr(0x7000)
    runner.bench_func("cuStreamQuery(stream)", driver.cuStreamQuery, stream)
    runner.bench_func("cuEventRecord(event, stream)", driver.cuEventRecord, event, stream)
    runner.bench_func("cuMemAlloc(size)", driver.cuMemAlloc, 1024)
    runner.bench_func("cuMemcpyAsync(to, from, size, stream)", driver.cuMemcpyAsync, pointer, pointer, 64, stream)
    runner.bench_func("cuCtxGetCurrent()", driver.cuCtxGetCurrent)
