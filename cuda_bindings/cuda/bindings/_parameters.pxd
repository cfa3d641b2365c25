# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
cdef object kernel_parameters(object o, const char* where)
cdef void* parameters_pointer(object held, const char* where) except? <void*>4242
