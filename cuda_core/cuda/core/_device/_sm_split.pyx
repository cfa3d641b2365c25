# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Splitting of multiprocessor resources (cuDevSmResourceSplit, before CUDA 13.1 cuDevSmResourceSplitByCount)."""

from libc.stdint cimport uintptr_t
from libc.stdlib cimport calloc
from libc.stdlib cimport free as c_free

from cuda.bindings cimport cydriver
from cuda.bindings._loader import FunctionNotFound
from cuda.core._utils._check cimport check


def split_sms(uintptr_t whole, list groups) -> tuple:
    """Split a multiprocessor resource into groups.

    Parameters
    ----------
    whole : int
        The address of a CUdevResource.
    groups : list of tuple
        For each group: number of multiprocessors (0: as many as possible), number of coscheduled ones, preferred number
        of coscheduled ones, CUdevSmResourceGroup_flags.

    Returns
    -------
    tuple
        The groups and the rest, as the bytes of CUdevResource.
    """
    cdef unsigned int count = len(groups), i
    cdef cydriver.CUdevResource rest
    cdef cydriver.CUdevResource* input = <cydriver.CUdevResource*>whole
    cdef cydriver.CU_DEV_SM_RESOURCE_GROUP_PARAMS* wanted
    cdef cydriver.CUdevResource* parts
    wanted = <cydriver.CU_DEV_SM_RESOURCE_GROUP_PARAMS*>calloc(count, sizeof(cydriver.CU_DEV_SM_RESOURCE_GROUP_PARAMS))
    parts = <cydriver.CUdevResource*>calloc(count, sizeof(cydriver.CUdevResource))
    try:
        if wanted == NULL or parts == NULL:
            raise MemoryError
        for i in range(count):
            wanted[i].smCount, wanted[i].coscheduledSmCount = groups[i][0], groups[i][1]
            wanted[i].preferredCoscheduledSmCount, wanted[i].flags = groups[i][2], groups[i][3]
        try:
            _split(input, count, wanted, parts, &rest)
        except FunctionNotFound:  # a driver before 13.1
            if any(group != groups[0] or group[1] or group[2] or group[3] for group in groups):
                raise
            _split_equally(input, count, groups[0][0], parts, &rest)
        return [(<char*>&parts[i])[:sizeof(rest)] for i in range(count)], (<char*>&rest)[:sizeof(rest)]
    finally:
        c_free(wanted)
        c_free(parts)


cdef int _split(
    cydriver.CUdevResource* whole,
    unsigned int count,
    cydriver.CU_DEV_SM_RESOURCE_GROUP_PARAMS* wanted,
    cydriver.CUdevResource* parts,
    cydriver.CUdevResource* rest,
) except -1:
    cdef unsigned int i
    for i in range(count):
        if wanted[i].smCount == 0:  # a dry run, in which the driver fills in the sizes
            check(cydriver.cuDevSmResourceSplit(NULL, count, whole, NULL, 0, wanted), b"cuDevSmResourceSplit")
            break
    check(cydriver.cuDevSmResourceSplit(parts, count, whole, rest, 0, wanted), b"cuDevSmResourceSplit")
    return 0


cdef int _split_equally(
    cydriver.CUdevResource* whole,
    unsigned int count,
    unsigned int size,
    cydriver.CUdevResource* parts,
    cydriver.CUdevResource* rest,
) except -1:
    """Make `count` groups of `size` multiprocessors; a size of 0 takes as many as possible."""
    cdef unsigned int made = count
    size = size or whole.sm.smCount // count
    check(cydriver.cuDevSmResourceSplitByCount(parts, &made, whole, rest, 0, size), b"cuDevSmResourceSplitByCount")
    if made < count:
        raise ValueError(f"the driver makes {made} groups of at least {size} multiprocessors, not {count}")
    return 0
