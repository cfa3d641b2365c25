/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Building blocks of an echo library (codegen/write_echo.py). Python reads `echo_record` through ctypes.
 */
#include <stddef.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define CHECK(what) _Static_assert(what, #what)
#define MAX_ARGS 24
#define MAX_MEMORY 4096

struct echo_argument {
    size_t size;                       /* bytes of the raw value */
    unsigned char raw[512];            /* the raw value */
    size_t memory_size;                /* bytes that it points to, if those are read */
    unsigned char memory[MAX_MEMORY];  /* a copy of them from before outputs were written */
};

struct echo_entry {
    const char *name;
    int version;
    const char *symbol;
    void *function;
};

EXPORT struct {
    const char *symbol; /* the last function that was called */
    size_t count;
    struct echo_argument arguments[MAX_ARGS];
} echo_record;

EXPORT int echo_status;          /* what functions return */
EXPORT const char *echo_hidden;  /* a symbol that cuGetProcAddress does not find */
extern const struct echo_entry echo_table[];
static const char echo_text[] = "echo";
static unsigned char echo_viewed[MAX_ARGS][MAX_MEMORY];

/* Byte j of what is written through argument k: never 0, with the sign bit set. */
static void echo_fill(int k, void *memory, size_t size) {
    for (size_t j = 0; j < size; ++j)
        ((unsigned char *)memory)[j] = 0x81 + (5 * k + 3 * j) % 0x6f;
}

static void echo_read(int k, const void *memory, size_t size) {
    struct echo_argument *argument = &echo_record.arguments[k];
    argument->memory_size = size;
    memcpy(argument->memory, memory, size < MAX_MEMORY ? size : MAX_MEMORY);
}

#define BEGIN(name) (echo_record.symbol = (name), echo_record.count = 0)
#define ARG(x)                                                                            \
    do {                                                                                  \
        struct echo_argument *argument = &echo_record.arguments[echo_record.count++];     \
        argument->size = sizeof x;                                                        \
        argument->memory_size = 0;                                                        \
        memcpy(argument->raw, &x, sizeof x);                                              \
    } while (0)
#define READ(k, p, n) echo_read((k), (const void *)(p), (n))
#define FILL(k, p, n) echo_fill((k), (void *)(p), (n))
#define VIEW(k, p) (echo_fill((k), echo_viewed[k], MAX_MEMORY), *(p) = (void *)echo_viewed[k])
#define FILL_EACH(k, p, n)                                        \
    for (size_t each = 0; each < (size_t)(n); ++each)             \
        echo_fill((k) + (int)each, ((void **)(p))[each], 8)
/* Copies of the 4 bytes behind each of n pointers. */
#define READ_EACH(k, p, n)                                                                \
    do {                                                                                  \
        unsigned char bytes[4 * (n)];                                                     \
        for (int each = 0; each < (n); ++each)                                            \
            memcpy(bytes + 4 * each, (p)[each], 4);                                       \
        echo_read((k), bytes, sizeof bytes);                                              \
    } while (0)

/* Answer cuGetProcAddress for the library's own functions: 1 if it did, 0 to treat it as any other call. */
__attribute__((unused)) static int echo_look_up(const char *name, void **function, int version, void *status) {
    for (const struct echo_entry *entry = echo_table; name && entry->name; ++entry)
        if (strcmp(entry->name, name) == 0 && entry->version == version) {
            int hidden = echo_hidden && strcmp(echo_hidden, entry->symbol) == 0;
            *function = hidden ? NULL : entry->function;
            if (status)
                *(int *)status = hidden ? 2 : 0; /* CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT */
            return 1;
        }
    return 0;
}
