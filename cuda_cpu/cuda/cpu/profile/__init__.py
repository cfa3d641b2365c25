# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Exact profiles of kernels on the CPU device: how often each instruction ran, and how it accessed memory.

>>> from cuda.cpu.profile import Profile
>>> with Profile() as profile:
...     launch(stream, config, kernel, *arguments)
>>> print(profile.launches[0].metric("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"))
0

All values are counts of what the kernel did, so they are the same in every run, for every number of workers and every
level of optimisation. Times, cache hits and other values that depend on hardware are not available.
"""

from cuda.cpu.profile.launch import LaunchProfile
from cuda.cpu.profile.metrics import METRICS, Metric
from cuda.cpu.profile.profiler import Profile
from cuda.cpu.profile.results import AccessCounts, InstructionCounts
from cuda.cpu.profile.timeline import Event, Timeline

__all__ = ["METRICS", "AccessCounts", "Event", "InstructionCounts", "LaunchProfile", "Metric", "Profile", "Timeline"]
