# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Settings of the current context: limits, cache and shared memory preferences, peer access."""

from __future__ import annotations

from cuda.cpu.abi import (
    CUDA_ERROR_INVALID_CONTEXT,
    CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
    CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
)
from cuda.cpu.driver.base import limit as limits
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.device import context


def cuCtxSetLimit(limit: int, value: int) -> None:
    limits.set_value(context.current(), limit, value)


def cuCtxGetLimit(limit: int) -> int:
    return limits.get_value(context.current(), limit)


def cuCtxGetCacheConfig() -> int:
    return context.current().cache_config


def cuCtxSetCacheConfig(config: int) -> None:
    """Remember the preference; the CPU's caches are not divided."""
    found = context.current()
    if not 0 <= config <= 3:
        raise invalid(f"cuCtxSetCacheConfig: {config} is no CUfunc_cache")
    found.cache_config = config


def cuCtxGetSharedMemConfig() -> int:
    context.current()
    return 1  # CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE, the only one since compute capability 5.0


def cuCtxSetSharedMemConfig(config: int) -> None:
    """Check the preference; it has had no effect on any device since compute capability 5.0."""
    context.current()
    if not 0 <= config <= 2:
        raise invalid(f"cuCtxSetSharedMemConfig: {config} is no CUsharedconfig")


def cuCtxGetStreamPriorityRange() -> tuple[int, int]:
    context.current()
    return 0, context.GREATEST_PRIORITY


def cuCtxResetPersistingL2Cache() -> None:
    """Do nothing, successfully: no line of the CPU's caches was ever made persistent."""
    context.current()


def _peer(name: str, handle: int) -> tuple[context.Context, context.Context]:
    found = context.current()
    peer = context.contexts.find(handle).base
    if peer is found:
        raise CudaError(CUDA_ERROR_INVALID_CONTEXT, f"{name}: the peer is the current context")
    return found, peer


def cuCtxEnablePeerAccess(peerContext: int, Flags: int) -> None:
    found, peer = _peer("cuCtxEnablePeerAccess", peerContext)
    if Flags:
        raise invalid(f"cuCtxEnablePeerAccess: Flags is {Flags}, must be 0")
    if peer in found.peers:
        raise CudaError(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "cuCtxEnablePeerAccess: already enabled")
    found.peers.add(peer)


def cuCtxDisablePeerAccess(peerContext: int) -> None:
    found, peer = _peer("cuCtxDisablePeerAccess", peerContext)
    if peer not in found.peers:
        raise CudaError(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "cuCtxDisablePeerAccess: was not enabled")
    found.peers.discard(peer)
