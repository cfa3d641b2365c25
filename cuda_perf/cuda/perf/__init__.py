# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find, explain and prevent performance regressions of kernels: define benchmarks, run and compare them.

>>> from cuda.perf import axis, benchmark
>>> @benchmark
... @axis.size("n", 2**16, 2**20)
... def square(state, n):
...     state.exec(lambda launch: ...)

The command is `python -m cuda.perf`. The guide "Catch a regression" has worked examples.
"""

from cuda.perf import axis
from cuda.perf.define import Launch, Skip, State, benchmark

__all__ = ["Launch", "Skip", "State", "axis", "benchmark"]
