# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver

cdef int set_location(cydriver.CUmemLocation* where, object location, str argument) except -1
