# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
cdef void* resolve(str api, str name, str symbol, int version, str per_thread) except NULL with gil
cdef bint cpu_in_use() except -1
