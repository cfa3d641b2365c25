# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Table of the APIs that are bound: headers, prefixes, status types and styles."""

from __future__ import annotations

import enum
import os
import pathlib
import sys
from dataclasses import dataclass

HERE = pathlib.Path(__file__).parent


class Style(enum.Enum):
    """Naming and error reporting of an API's Python functions."""

    TUPLE = "tuple"  # the C name; returns (status, results ...)
    RAISE = "raise"  # snake_case without prefix; returns the results, raises on failure


@dataclass(frozen=True)
class Api:
    name: str  # module of cuda.bindings
    headers: tuple[str, ...]  # functions, types and constants of these are bound
    prefix: str  # that the names of functions share
    status: str  # result type whose value 0 is success
    raised: str = ""  # status that the C level returns when it sets a Python exception; as in NVIDIA's package
    guard: str = ""  # include guard of the first header: if defined, the C level does not repeat its declarations
    style: Style = Style.TUPLE
    versions: tuple[str, ...] = ()  # headers with the typedefs PFN_<function>_v<version>
    version_macro: str = ""
    prelude: tuple[str, ...] = ()  # headers that the headers need and do not include
    defines: tuple[str, ...] = ()
    per_thread_define: str = ""  # switches the header to the per-thread default stream
    every_version_define: str = ""  # makes the header declare all versions of its functions
    as_needed: tuple[str, ...] = ()  # headers whose types are bound only if other declarations use them
    # Pattern that is removed from the names of structs and enumerations in Python. With it, structs are records: fields
    # in snake_case, and one object for several consecutive structs.
    strip: str = ""
    constants: str = ""  # prefix that is removed from the names of constants
    error: str = ""  # Python's exception, by default after the status type
    too_small: str = ""  # status of a call that queries how much memory is needed
    reference: str = ""  # page of NVIDIA's reference; {group} is the header's group of functions
    status_field: str = ""  # of a status that is a struct: the field whose value 0 is success
    status_enum: str = ""  # enumeration of the status, by default the status type itself
    marker: str = ""  # empty class of NVIDIA's module that no header declares

    def __post_init__(self) -> None:
        object.__setattr__(self, "status_enum", self.status_enum or self.status)


APIS = {
    api.name: api
    for api in (
        Api(
            name="driver",
            headers=("cuda.h", "cudaProfiler.h", "cudaEGL.h", "cudaGL.h", "cudaVDPAU.h"),
            prelude=("vdpau/vdpau.h",),
            prefix="cu",
            status="CUresult",
            raised="CUDA_ERROR_NOT_FOUND",
            guard="__cuda_cuda_h__",
            marker="cudaBindingsDriverGlobal",
            versions=(
                "cudaTypedefs.h",
                "cudaProfilerTypedefs.h",
                "cudaEGLTypedefs.h",
                "cudaGLTypedefs.h",
                "cudaVDPAUTypedefs.h",
            ),
            version_macro="CUDA_VERSION",
            per_thread_define="CUDA_API_PER_THREAD_DEFAULT_STREAM",
            every_version_define="__CUDA_API_VERSION_INTERNAL",
            reference="https://docs.nvidia.com/cuda/cuda-driver-api/group__{group}.html",
        ),
        Api(
            name="runtime",
            headers=(
                "cuda_runtime_api.h",
                "driver_types.h",
                "texture_types.h",
                "surface_types.h",
                "library_types.h",
                "device_types.h",
                "cuda_profiler_api.h",
                "cudart_platform.h",
                "cuda_egl_interop.h",
                "cuda_gl_interop.h",
                "cuda_vdpau_interop.h",
            ),
            prelude=("vdpau/vdpau.h",),
            prefix="cuda",
            status="cudaError_t",
            raised="cudaErrorCallRequiresNewerDriver",
            guard="__CUDA_RUNTIME_API_H__",
            marker="cudaBindingsRuntimeGlobal",
            version_macro="CUDART_VERSION",
            per_thread_define="CUDA_API_PER_THREAD_DEFAULT_STREAM",
            as_needed=("vector_types.h",),
            reference="https://docs.nvidia.com/cuda/cuda-runtime-api/group__{group}.html",
        ),
        Api(
            name="nvrtc",
            headers=("nvrtc.h",),
            prefix="nvrtc",
            status="nvrtcResult",
            raised="NVRTC_ERROR_INVALID_INPUT",
            guard="__NVRTC_H__",
            reference="https://docs.nvidia.com/cuda/nvrtc/index.html",
        ),
        Api(
            name="nvjitlink",
            headers=("nvJitLink.h",),
            prefix="nvJitLink",
            status="nvJitLinkResult",
            raised="NVJITLINK_ERROR_INTERNAL",
            guard="nvJitLink_INCLUDED__",
            style=Style.RAISE,
            # Without it the header defines inline functions on symbols that name one release (__nvJitLinkCreate_13_5).
            defines=("NVJITLINK_NO_INLINE",),
            reference="https://docs.nvidia.com/cuda/nvjitlink/index.html",
        ),
        Api(
            name="nvvm",
            headers=("nvvm.h",),
            prefix="nvvm",
            status="nvvmResult",
            raised="NVVM_ERROR_INVALID_INPUT",
            guard="NVVM_H",
            style=Style.RAISE,
            reference="https://docs.nvidia.com/cuda/libnvvm-api/index.html",
        ),
        Api(
            name="nvfatbin",
            headers=("nvFatbin.h",),
            prefix="nvFatbin",
            status="nvFatbinResult",
            raised="NVFATBIN_ERROR_INTERNAL",
            guard="nvFatbin_INCLUDED",
            style=Style.RAISE,
            reference="https://docs.nvidia.com/cuda/nvfatbin/index.html",
        ),
        Api(
            name="nvml",
            headers=("nvml.h",),
            prefix="nvml",
            status="nvmlReturn_t",
            raised="NVML_ERROR_UNKNOWN",
            guard="__nvml_nvml_h__",
            style=Style.RAISE,
            strip=r"^nvml|_t$",
            constants="NVML_",
            error="NvmlError",
            too_small="NVML_ERROR_INSUFFICIENT_SIZE",
            reference="https://docs.nvidia.com/deploy/nvml-api/group__{group}.html",
        ),
        Api(
            name="cufile",
            headers=("cufile.h",),
            prefix="cuFile",
            status="CUfileError_t",
            status_field="err",
            status_enum="CUfileOpError",
            guard="__CUFILE_H_",
            style=Style.RAISE,
            strip=r"^CU[Ff]ile|^cufile|_t$",
            constants="CU_FILE_",
            error="cuFileError",
            as_needed=("cuda.h", "types.h", "socket.h"),
            reference="https://docs.nvidia.com/gpudirect-storage/api-reference-guide/index.html",
        ),
        Api(
            name="cudla",
            headers=("cudla.h",),  # of include/: see there
            prefix="cudla",
            status="cudlaStatus",
            raised="cudlaErrorUnknown",
            guard="CUDLA_H_",
            style=Style.RAISE,
            strip=r"^[Cc]udla|_t$",
            constants="CUDLA_",
            error="CudlaError",
            reference="https://docs.nvidia.com/cuda/cudla-api/index.html",
        ),
    )
}


def include_path() -> list[pathlib.Path]:
    """Return the folders with NVIDIA's headers: CUDA_HOME's if that is set, else those of the installed wheels.

    A toolkit elsewhere on the machine is never used.
    """
    if home := os.environ.get("CUDA_HOME"):
        return [pathlib.Path(home) / "include"]
    folders = (pathlib.Path(entry) / "nvidia" / "cu13" / "include" for entry in sys.path)
    return [folder for folder in folders if folder.is_dir()]
