# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Atomic operations and consistent copies for free-threaded Python; with the GIL, which protects the data, plain ones.

Integers and pointers that several threads change without a critical section are accessed by these. `read` and `write`
copy the entries of a cache guarded by a sequence lock: a reader that meets a writer finds nothing.
"""

cdef extern from *:
    """
    #ifndef OPEN_CUDA_ATOMIC
    #define OPEN_CUDA_ATOMIC
    #include <stdint.h>
    #ifdef Py_GIL_DISABLED
    #define open_cuda_atomic_load(address) __atomic_load_n(address, __ATOMIC_SEQ_CST)
    #define open_cuda_atomic_store(address, value) __atomic_store_n(address, value, __ATOMIC_SEQ_CST)
    #define open_cuda_atomic_add(address, value) __atomic_add_fetch(address, value, __ATOMIC_SEQ_CST)
    #define open_cuda_atomic_swap(address, value) __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST)
    #else
    #define open_cuda_atomic_load(address) (*(address))
    #define open_cuda_atomic_store(address, value) ((void)(*(address) = (value)))
    #define open_cuda_atomic_add(address, value) (*(address) += (value))
    static inline int open_cuda_atomic_swap(int *address, int value) {
        int before = *address;
        *address = value;
        return before;
    }
    #endif

    /* Copy `words` words of an entry that begins with `key`, and return 1; return 0 for another one, and if another
       thread writes one. */
    static inline int open_cuda_cache_read(const unsigned *sequence, void *copy, const void *entry, int words,
                                           const void *key) {
        const uint64_t *from = entry;
    #ifdef Py_GIL_DISABLED
        uint64_t *to = copy;
        unsigned before = __atomic_load_n(sequence, __ATOMIC_ACQUIRE);
        for (int i = 0; i < words; i++) to[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        unsigned after = __atomic_load_n(sequence, __ATOMIC_RELAXED);
        return !(before & 1) && after == before && *to == (uint64_t)(uintptr_t)key;
    #else
        if (*from != (uint64_t)(uintptr_t)key) return 0;
        __builtin_memcpy(copy, entry, 8 * words);
        return 1;
    #endif
    }

    /* Replace an entry, store its former first word, and return 1, or return 0 if another thread writes. */
    static inline int open_cuda_cache_write(unsigned *sequence, void *entry, const void *value, int words,
                                            void *first_word) {
        uint64_t *to = entry, *before = first_word;
        const uint64_t *from = value;
    #ifdef Py_GIL_DISABLED
        unsigned now = __atomic_load_n(sequence, __ATOMIC_RELAXED);
        if ((now & 1) || !__atomic_compare_exchange_n(sequence, &now, now + 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return 0;
        __atomic_thread_fence(__ATOMIC_RELEASE);
        *before = __atomic_load_n(to, __ATOMIC_RELAXED);
        for (int i = 0; i < words; i++) __atomic_store_n(to + i, from[i], __ATOMIC_RELAXED);
        __atomic_store_n(sequence, now + 2, __ATOMIC_RELEASE);
    #else
        *before = *to;
        for (int i = 0; i < words; i++) to[i] = from[i];
    #endif
        return 1;
    }
    #endif
    """
    int atomic_load "open_cuda_atomic_load" (int* address) noexcept nogil
    void atomic_store "open_cuda_atomic_store" (int* address, int value) noexcept nogil
    int atomic_add "open_cuda_atomic_add" (int* address, int value) noexcept nogil
    int atomic_swap "open_cuda_atomic_swap" (int* address, int value) noexcept nogil
    bint cache_read "open_cuda_cache_read" (
        const unsigned* sequence, void* to, const void* entry, int words, const void* key
    ) noexcept
    bint cache_write "open_cuda_cache_write" (
        unsigned* sequence, void* entry, const void* value, int words, void* before
    ) noexcept
