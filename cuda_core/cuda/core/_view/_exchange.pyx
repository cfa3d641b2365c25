# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Find DLPack's C exchange API of a type of arrays."""

from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid

cdef const char* NAME = b"dlpack_exchange_api"


cdef Exchange* exchange_of(object kind) except? NULL:
    """Return the functions of a type, NULL if it has none of DLPack 1.x.

    Only the type's own attribute counts: arrays of a subclass need not have memory (FakeTensor of PyTorch).
    """
    cdef ExchangeHeader* header
    capsule = vars(kind).get("__dlpack_c_exchange_api__")
    if capsule is None or not PyCapsule_IsValid(capsule, NAME):
        return NULL
    header = <ExchangeHeader*>PyCapsule_GetPointer(capsule, NAME)
    while header != NULL and header.version.major != 1:
        header = header.previous
    if header == NULL or (<Exchange*>header).tensor_of == NULL:
        return NULL
    return <Exchange*>header
