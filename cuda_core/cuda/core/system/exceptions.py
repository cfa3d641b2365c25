# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The exceptions of NVML: `NvmlError`, and one class for each status, generated from its header."""

from cuda.bindings.nvml import AlreadyInitializedError as AlreadyInitializedError
from cuda.bindings.nvml import ArgumentVersionMismatchError as ArgumentVersionMismatchError
from cuda.bindings.nvml import CorruptedInforomError as CorruptedInforomError
from cuda.bindings.nvml import DeprecatedError as DeprecatedError
from cuda.bindings.nvml import DriverNotLoadedError as DriverNotLoadedError
from cuda.bindings.nvml import FreqNotSupportedError as FreqNotSupportedError
from cuda.bindings.nvml import FunctionNotFoundError as FunctionNotFoundError
from cuda.bindings.nvml import GpuIsLostError as GpuIsLostError
from cuda.bindings.nvml import GpuNotFoundError as GpuNotFoundError
from cuda.bindings.nvml import InsufficientPowerError as InsufficientPowerError
from cuda.bindings.nvml import InsufficientResourcesError as InsufficientResourcesError
from cuda.bindings.nvml import InsufficientSizeError as InsufficientSizeError
from cuda.bindings.nvml import InUseError as InUseError
from cuda.bindings.nvml import InvalidArgumentError as InvalidArgumentError
from cuda.bindings.nvml import InvalidStateError as InvalidStateError
from cuda.bindings.nvml import IrqIssueError as IrqIssueError
from cuda.bindings.nvml import LibraryNotFoundError as LibraryNotFoundError
from cuda.bindings.nvml import LibRmVersionMismatchError as LibRmVersionMismatchError
from cuda.bindings.nvml import MemoryError as MemoryError
from cuda.bindings.nvml import NoDataError as NoDataError
from cuda.bindings.nvml import NoPermissionError as NoPermissionError
from cuda.bindings.nvml import NotFoundError as NotFoundError
from cuda.bindings.nvml import NotReadyError as NotReadyError
from cuda.bindings.nvml import NotSupportedError as NotSupportedError
from cuda.bindings.nvml import NvmlError as NvmlError
from cuda.bindings.nvml import OperatingSystemError as OperatingSystemError
from cuda.bindings.nvml import ResetRequiredError as ResetRequiredError
from cuda.bindings.nvml import ResetTypeNotSupportedError as ResetTypeNotSupportedError
from cuda.bindings.nvml import TimeoutError as TimeoutError
from cuda.bindings.nvml import UninitializedError as UninitializedError
from cuda.bindings.nvml import UnknownError as UnknownError
from cuda.bindings.nvml import VgpuEccNotSupportedError as VgpuEccNotSupportedError

__all__ = sorted(name for name in globals() if name.endswith("Error"))
