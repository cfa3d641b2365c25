# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Reasons why functions of cuda.h are not supported, for error messages and the table in the documentation."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any, NoReturn

from cuda.cpu.abi import CUDA_ERROR_NOT_SUPPORTED
from cuda.cpu.driver.base import caller
from cuda.cpu.driver.base.error import CudaError, answer, note_warning

GRAPHICS = "shares objects of a graphics API, which live on a GPU"

# The names (a pattern for all of the name) and the reason. The first that fits counts.
REASONS = (
    (r"cu(GL|EGL|VDPAU).*|cuGraphics.*|cuEventCreateFromEGLSync", GRAPHICS),
    (
        r"cu(Import|Destroy|Signal|Wait)ExternalSemaphore.*|cuGraph.*External.*",
        "waits for objects of graphics APIs: what an opaque descriptor of theirs means, only its driver knows",
    ),
    (r"cuStream(Begin|End)CaptureToCig", "shares a queue with a graphics API, which lives on a GPU"),
    (
        r"cuTexRef.*|cuSurfRef.*|cuModuleGet(Tex|Surf)Ref|cuParamSetTexRef",
        "deprecated: use texture and surface objects",
    ),
    (r"cuLaunchCooperativeKernelMultiDevice", "deprecated by CUDA: no grid waits for grids of other devices"),
    (r"cuProfilerInitialize", "removed from CUDA 12"),
    (r"cu.*_v1", "has 32-bit addresses and sizes (CUDA 3.1 and older), or batches of a form that was replaced"),
    (r"cuCoredump.*Callback", "core dumps are written without calls; python -m cuda.cpu debug --core reads them"),
    (r"cuCheckpoint.*", "moves the memory of a GPU to the host and back; the memory of the CPU device is the host's"),
    (r"cu(LogicalEndpoint|FabricCpy).*|cuDeviceGet(Fabric|Clique).*", "needs the fabric between machines with NVLink"),
    (r"cuDeviceGetNvSciSyncAttributes", "NvSci is a library for NVIDIA's embedded systems"),
    (
        r"cu(Device)?FlushGPUDirectRDMAWrites|cuMemGetHandleForAddressRange",
        "network cards do not reach the memory as a GPU's",
    ),
    (r"cuTensorMap(EncodeIm2colWide|SetAllocationClass)", "its instructions (sm_100) are not supported"),
    (r"cuMemGetLocationInfo", "the memory of the CPU device has one location"),
    (r"cuGetExportTable", "private interfaces of NVIDIA's driver"),
)


def reason_of(name: str, reasons: Any = REASONS) -> str:
    """Return why a function is not supported, "" for unknown names."""
    return next((reason for pattern, reason in reasons if re.fullmatch(pattern, name)), "")


COMPILERS = r"lib(nvrtc|nvJitLink|nvvm|nvptxcompiler|nvfatbin)\b.*"  # they query the tables, too, and work without them
_reported: list[str] = []


def report_runtime(library: str) -> None:
    """Say once what the error of a program that has NVIDIA's libcudart inside does not: that it cannot run here."""
    if _reported or re.fullmatch(COMPILERS, os.path.basename(library)):
        return
    who = library or "a library of this program"
    _reported.append(who)
    note_warning(
        f"{who} contains NVIDIA's CUDA runtime (libcudart), which requires private interfaces of NVIDIA's "
        "own driver: its calls fail on the CPU device (see the documentation, Programs of others). Where "
        "the program is yours: link it by nvcc -cudart shared"
    )


def refusal(name: str, reason: str) -> Callable[..., NoReturn]:
    """Return a function that raises the reason why it is not supported."""

    def refuse(*arguments: Any) -> NoReturn:
        if name == "cuGetExportTable":
            report_runtime(caller.library())
            raise answer(CUDA_ERROR_NOT_SUPPORTED, f"the CPU device has no {name}: {reason}")
        raise CudaError(CUDA_ERROR_NOT_SUPPORTED, f"the CPU device has no {name}: {reason}")

    return refuse
