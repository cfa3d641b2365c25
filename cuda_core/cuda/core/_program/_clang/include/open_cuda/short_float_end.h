// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Removes the macros that short_float.h and short_float_arithmetic.h are given, before they are included for another type.
#undef __OPEN_CUDA_T
#undef __OPEN_CUDA_T2
#undef __OPEN_CUDA_RAW
#undef __OPEN_CUDA_RAW2
#undef __OPEN_CUDA_OTHER
#undef __OPEN_CUDA_FORMAT
#undef __OPEN_CUDA_WORD
#undef __OPEN_CUDA_KIND
#undef __OPEN_CUDA_TWICE
#undef __OPEN_CUDA_INFINITE
#undef __OPEN_CUDA_ADDS
#undef __OPEN_CUDA_ADD_ATOMS
#undef __OPEN_CUDA_COMPARED
