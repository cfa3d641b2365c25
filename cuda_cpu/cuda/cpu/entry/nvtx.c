/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   NVTX ranges and marks for timelines. NVTX is a library of headers: a program's first call opens the library that
   NVTX_INJECTION64_PATH names, and calls its InitializeInjectionNvtx2, which replaces the program's functions. The
   names, numbers and layouts are those of NVTX version 3 (nvtx3/nvtxDetail/nvtxTypes.h, nvToolsExt.h). */
#include "spans.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

typedef void function(void);

enum { CALLBACKS = 1, CORE = 1, CORE2 = 5 }; /* the export table, and its modules */
enum { TEXT = 1, WIDE_TEXT = 2, REGISTERED = 3 }; /* kinds of messages */
#define MOST_TEXT 1024

struct callbacks {
    size_t size;
    int (*table_of)(int module, function ***(*table), unsigned int *size);
};

/* nvtxEventAttributes_t */
struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, unused;
    uint64_t payload;
    int32_t message_type;
    const void *message;
};

/* A range that has begun; those of a thread are a stack. */
struct range {
    struct range *outer;
    const char *domain;
    uint64_t thread;
    int64_t begin;
    uint32_t category;
    char name[];
};

static _Thread_local struct range *innermost;

static char *narrow(const wchar_t *text) {
    char *found = malloc(MOST_TEXT);
    size_t used = 0;
    for (; found && text && *text && used < MOST_TEXT - 1; text++) found[used++] = *text < 128 ? (char)*text : '?';
    if (found) found[used] = 0;
    return found;
}

static struct range *make(const void *domain, const char *name) {
    name = name ? name : "";
    struct range *made = malloc(sizeof *made + strlen(name) + 1);
    if (!made) return NULL;
    made->outer = NULL;
    made->domain = domain ? domain : "";
    made->thread = shell_thread();
    made->begin = shell_span_begin();
    made->category = 0;
    strcpy(made->name, name);
    return made;
}

static struct range *make_wide(const wchar_t *text) {
    char *name = narrow(text);
    struct range *made = make(NULL, name);
    free(name);
    return made;
}

static struct range *make_of(const void *domain, const struct attributes *given) {
    bool is_wide = given && given->message_type == WIDE_TEXT;
    bool has_text = given && (given->message_type == TEXT || given->message_type == REGISTERED);
    struct range *made = is_wide ? make_wide(given->message) : make(domain, has_text ? given->message : NULL);
    if (made && domain) made->domain = domain;
    if (made && given) made->category = given->category;
    return made;
}

static void end(struct range *range, uint32_t kind) {
    if (!range) return;
    shell_span_end_in(kind, range->domain, range->category, range->name, range->thread, range->begin);
    free(range);
}

/* Return the depth before, as nvtxRangePush does. */
static int push(struct range *range) {
    int depth = 0;
    if (!range) return -1;
    for (const struct range *each = innermost; each; each = each->outer) depth += !strcmp(each->domain, range->domain);
    range->outer = innermost;
    innermost = range;
    return depth;
}

static int pop(const void *domain) {
    int depth = -1;
    for (struct range **link = &innermost; *link; link = &(*link)->outer)
        if (!strcmp((*link)->domain, domain ? domain : "")) {
            struct range *found = *link;
            for (const struct range *each = found; each; each = each->outer)
                depth += !strcmp(each->domain, found->domain);
            *link = found->outer;
            end(found, SHELL_SPAN_RANGE);
            break;
        }
    return depth;
}

static void mark_ex(const struct attributes *given) { end(make_of(NULL, given), SHELL_SPAN_MARK); }
static void mark(const char *text) { end(make(NULL, text), SHELL_SPAN_MARK); }
static void mark_wide(const wchar_t *text) { end(make_wide(text), SHELL_SPAN_MARK); }
static uint64_t start_ex(const struct attributes *given) { return (uint64_t)make_of(NULL, given); }
static uint64_t start(const char *text) { return (uint64_t)make(NULL, text); }
static uint64_t start_wide(const wchar_t *text) { return (uint64_t)make_wide(text); }
static void stop(uint64_t range) { end((struct range *)range, SHELL_SPAN_RANGE); }
static int push_ex(const struct attributes *given) { return push(make_of(NULL, given)); }
static int push_text(const char *text) { return push(make(NULL, text)); }
static int push_wide(const wchar_t *text) { return push(make_wide(text)); }
static int pop_default(void) { return pop(NULL); }

static void domain_mark(const void *domain, const struct attributes *given) {
    end(make_of(domain, given), SHELL_SPAN_MARK);
}
static uint64_t domain_start(const void *domain, const struct attributes *given) {
    return (uint64_t)make_of(domain, given);
}
static void domain_stop(const void *domain, uint64_t range) {
    (void)domain;
    stop(range);
}
static int domain_push(const void *domain, const struct attributes *given) { return push(make_of(domain, given)); }
static int domain_pop(const void *domain) { return pop(domain); }

/* Domains and registered strings are copies of their text. They live as long as the process: ranges refer to them. */
static void *domain_create(const char *name) { return strdup(name ? name : ""); }
static void *domain_create_wide(const wchar_t *name) { return narrow(name); }
static void *register_text(const void *domain, const char *text) {
    (void)domain;
    return strdup(text ? text : "");
}
static void *register_wide(const void *domain, const wchar_t *text) {
    (void)domain;
    return narrow(text);
}

static void name_in(const void *domain, uint32_t category, const char *name) {
    shell_span_name(SHELL_NAME_CATEGORY, 0, domain ? domain : "", category, name ? name : "");
}
static void name_in_wide(const void *domain, uint32_t category, const wchar_t *text) {
    char *name = narrow(text);
    name_in(domain, category, name);
    free(name);
}
static void name_category(uint32_t category, const char *name) { name_in(NULL, category, name); }
static void name_category_wide(uint32_t category, const wchar_t *name) { name_in_wide(NULL, category, name); }
static void name_thread(uint32_t thread, const char *name) {
    shell_span_name(SHELL_NAME_THREAD, thread, "", 0, name ? name : "");
}
static void name_thread_wide(uint32_t thread, const wchar_t *text) {
    char *name = narrow(text);
    name_thread(thread, name);
    free(name);
}

/* Indices are the numbers of nvtxTypes.h; the functions that are left out are for resources and destroy domains. */
static function *const core[] = {
    [1] = (function *)mark_ex, [2] = (function *)mark, [3] = (function *)mark_wide, [4] = (function *)start_ex,
    [5] = (function *)start, [6] = (function *)start_wide, [7] = (function *)stop, [8] = (function *)push_ex,
    [9] = (function *)push_text, [10] = (function *)push_wide, [11] = (function *)pop_default,
    [12] = (function *)name_category, [13] = (function *)name_category_wide, [14] = (function *)name_thread,
    [15] = (function *)name_thread_wide,
};
static function *const core2[] = {
    [1] = (function *)domain_mark, [2] = (function *)domain_start, [3] = (function *)domain_stop,
    [4] = (function *)domain_push, [5] = (function *)domain_pop, [8] = (function *)name_in,
    [9] = (function *)name_in_wide, [10] = (function *)register_text,
    [11] = (function *)register_wide, [12] = (function *)domain_create, [13] = (function *)domain_create_wide,
};

static void install(const struct callbacks *callbacks, int module, function *const *functions, unsigned int count) {
    function ***table = NULL;
    unsigned int size = 0;
    if (!callbacks->table_of(module, &table, &size)) return;
    for (unsigned int i = 1; i < count && i < size; i++)
        if (functions[i] && table[i]) *table[i] = functions[i];
}

/* Return 1 for success; called once by each library that contains NVTX. */
SHELL_EXPORT int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t)) {
    const struct callbacks *callbacks = export_table(CALLBACKS);
    if (!callbacks || callbacks->size < sizeof *callbacks) return 0;
    install(callbacks, CORE, core, sizeof core / sizeof *core);
    install(callbacks, CORE2, core2, sizeof core2 / sizeof *core2);
    return 1;
}
