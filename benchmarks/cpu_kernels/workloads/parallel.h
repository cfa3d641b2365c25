/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Loops whose iterations are independent: OpenMP divides them among threads, if a peer is compiled with it.
 */
#ifdef _OPENMP
#define PARALLEL _Pragma("omp parallel for")
#define PARALLEL_SUMS(array, size) _Pragma(TEXT_OF(omp parallel for reduction(+ : array[:size])))
#define TEXT_OF(words) #words
#define PARTS 16
#else
#define PARTS 1
#define PARALLEL
#define PARALLEL_SUMS(array, size)
#endif
