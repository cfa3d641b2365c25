# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
cdef object kernel_parameters(object o, const char* label)
cdef void* parameters_pointer(object owner, const char* label) except? <void*>4242
