# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Division of multiprocessors, first only asked about where sizes are left to the driver."""

from libc.stdint cimport uintptr_t
from libc.stdlib cimport calloc
from libc.stdlib cimport free as c_free

from cuda.bindings cimport cydriver
from cuda.core._check cimport check


def split_sms(uintptr_t whole, list groups) -> tuple:
    """Divide a resource.

    Parameters
    ----------
    whole : int
        The address of a CUdevResource.
    groups : list of tuple
        Of each group: how many multiprocessors (0: as many as there are), how many that can hold a cluster, how many
        of those are wished for, CUdevSmResourceGroup_flags.

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
        if any(group[0] == 0 for group in groups):  # the driver fills in the sizes where nothing is to be made
            check(cydriver.cuDevSmResourceSplit(NULL, count, input, NULL, 0, wanted), b"cuDevSmResourceSplit")
        check(cydriver.cuDevSmResourceSplit(parts, count, input, &rest, 0, wanted), b"cuDevSmResourceSplit")
        return [(<char*>&parts[i])[:sizeof(rest)] for i in range(count)], (<char*>&rest)[:sizeof(rest)]
    finally:
        c_free(wanted)
        c_free(parts)
