/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Loader of relocatable ELF objects as LLVM emits them (ELF gABI, "Relocatable File"): sections are grouped by access
 * rights, each group page-aligned, and relocated. The object may come from a file, so every number in it is validated.
 */
#define _GNU_SOURCE
#include "elf_image.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "elf_debug.h"
#include "elf_parts.h"

#define PAGE ((uint64_t)65536)
#define MAX_MEMORY ((uint64_t)1 << 30)

bool cpu_elf_fail(struct object *object, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(object->error, object->error_size, format, arguments);
    va_end(arguments);
    return false;
}

static bool within(uint64_t offset, uint64_t size, uint64_t whole)
{
    return offset <= whole && size <= whole - offset;
}

static bool read_header(struct object *object)
{
    Elf64_Ehdr *header = &object->header;
    if (object->size < sizeof *header)
        return cpu_elf_fail(object, "the object has %zu bytes, too few for an ELF header", object->size);
    memcpy(header, object->data, sizeof *header);
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_ident[EI_DATA] != ELFDATA2LSB)
        return cpu_elf_fail(object, "the object is no little-endian 64-bit ELF file");
    if (header->e_type != ET_REL || header->e_machine != CPU_ELF_MACHINE)
        return cpu_elf_fail(object, "the ELF file is of type %u for machine %u; a relocatable object (1) for machine %u is needed",
                            header->e_type, header->e_machine, CPU_ELF_MACHINE);
    if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shnum == 0 ||
        !within(header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr), object->size))
        return cpu_elf_fail(object, "the section table (%u entries at %llu) lies outside of the object", header->e_shnum,
                            (unsigned long long)header->e_shoff);
    return true;
}

static bool read_sections(struct object *object)
{
    object->count = object->header.e_shnum;
    object->sections = calloc(object->count, sizeof *object->sections);
    if (!object->sections)
        return cpu_elf_fail(object, "out of memory");
    for (uint32_t i = 0; i < object->count; i++) {
        Elf64_Shdr *section = &object->sections[i].header;
        memcpy(section, object->data + object->header.e_shoff + i * sizeof *section, sizeof *section);
        if (section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL &&
            !within(section->sh_offset, section->sh_size, object->size))
            return cpu_elf_fail(object, "section %u lies outside of the object", i);
        uint64_t align = section->sh_addralign;
        if (align & (align - 1) || ((section->sh_flags & SHF_ALLOC) && align > PAGE))
            return cpu_elf_fail(object, "section %u has the alignment %llu", i, (unsigned long long)align);
    }
    return true;
}

/* Find the symbol table and its string table, which must end with a NUL. */
static bool read_symbols(struct object *object)
{
    for (uint32_t i = 0; i < object->count; i++) {
        const Elf64_Shdr *section = &object->sections[i].header;
        if (section->sh_type != SHT_SYMTAB)
            continue;
        const Elf64_Shdr *strings = section->sh_link < object->count ? &object->sections[section->sh_link].header : NULL;
        if (section->sh_entsize != sizeof(Elf64_Sym) || !strings || strings->sh_type != SHT_STRTAB ||
            strings->sh_size == 0 || object->data[strings->sh_offset + strings->sh_size - 1] != 0)
            return cpu_elf_fail(object, "the symbol table is damaged");
        object->symbol_section = i;
        object->symbol_count = section->sh_size / sizeof(Elf64_Sym);
        object->symbol_data = object->data + section->sh_offset;
        object->strings = (const char *)object->data + strings->sh_offset;
        object->strings_size = strings->sh_size;
        return true;
    }
    return cpu_elf_fail(object, "the object has no symbol table");
}

static enum group group_of(const Elf64_Shdr *section)
{
    if (section->sh_type == SHT_NULL || !(section->sh_flags & SHF_ALLOC) || section->sh_size == 0)
        return GROUP_NONE;
    if (section->sh_flags & SHF_EXECINSTR)
        return GROUP_CODE;
    return section->sh_flags & SHF_WRITE ? GROUP_DATA : GROUP_CONSTANT;
}

static bool lay_out(struct object *object)
{
    uint64_t at = 0;
    for (enum group group = GROUP_CODE; group <= GROUP_DATA; group++) {
        object->group_start[group] = at;
        if (group == GROUP_CODE) { /* room for the stubs: a jump and its target for each symbol */
            at += object->symbol_count * CPU_ELF_STUB;
            if (at > MAX_MEMORY)
                return cpu_elf_fail(object, "the object has %llu symbols", (unsigned long long)object->symbol_count);
        }
        for (uint32_t i = 0; i < object->count; i++) {
            struct section *section = &object->sections[i];
            if (group_of(&section->header) != group)
                continue;
            uint64_t align = section->header.sh_addralign ? section->header.sh_addralign : 1;
            at = (at + align - 1) & ~(align - 1);
            section->placed = true;
            section->offset = at;
            if (section->header.sh_size > MAX_MEMORY || (at += section->header.sh_size) > MAX_MEMORY)
                return cpu_elf_fail(object, "section %u would make the image larger than 1 GiB", i);
        }
        at = (at + PAGE - 1) & ~(PAGE - 1);
    }
    object->group_start[GROUP_DATA + 1] = at;
    return true;
}

static bool load_sections(struct object *object)
{
    object->memory_size = object->group_start[GROUP_DATA + 1];
    if (!object->memory_size)
        return cpu_elf_fail(object, "the object holds nothing to run");
    object->memory = mmap(NULL, object->memory_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (object->memory == MAP_FAILED) {
        object->memory = NULL;
        return cpu_elf_fail(object, "out of memory");
    }
    for (uint32_t i = 0; i < object->count; i++) {
        const struct section *section = &object->sections[i];
        if (section->placed && section->header.sh_type != SHT_NOBITS)
            memcpy(object->memory + section->offset, object->data + section->header.sh_offset, section->header.sh_size);
    }
    return true;
}

bool cpu_elf_symbol(struct object *object, uint64_t index, Elf64_Sym *symbol, const char **name)
{
    if (index >= object->symbol_count)
        return cpu_elf_fail(object, "symbol %llu does not exist", (unsigned long long)index);
    memcpy(symbol, object->symbol_data + index * sizeof *symbol, sizeof *symbol);
    if (symbol->st_name >= object->strings_size)
        return cpu_elf_fail(object, "the name of symbol %llu lies outside of the string table", (unsigned long long)index);
    *name = object->strings + symbol->st_name;
    return true;
}

/* Find the address of a symbol that a section of the object defines; *address is 0 for an undefined symbol. */
static bool defined_address(struct object *object, const Elf64_Sym *symbol, const char *name, uint64_t *address)
{
    *address = 0;
    if (symbol->st_shndx == SHN_UNDEF)
        return true;
    if (symbol->st_shndx == SHN_ABS) {
        *address = symbol->st_value;
        return true;
    }
    const struct section *section = symbol->st_shndx < object->count ? &object->sections[symbol->st_shndx] : NULL;
    if (!section || symbol->st_value > section->header.sh_size)
        return cpu_elf_fail(object, "the symbol '%s' lies outside of its section", name);
    if (section->placed)
        *address = (uint64_t)(uintptr_t)object->memory + section->offset + symbol->st_value;
    return true;
}

/* Look up a symbol in libm and libc, in no other library of the process. */
static void *library_address(const char *name)
{
    static const char *const libraries[] = {"libm.so.6", "libc.so.6"};
    for (int i = 0; i < 2; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
        void *address = library ? dlsym(library, name) : NULL;
        if (address)
            return address; /* the library stays open: the machine code needs it */
        if (library)
            dlclose(library);
    }
    return NULL;
}

bool cpu_elf_resolve(struct object *object, uint64_t index, uint32_t relocation, uint64_t *address)
{
    Elf64_Sym symbol;
    const char *name;
    if (!cpu_elf_symbol(object, index, &symbol, &name) || !defined_address(object, &symbol, name, address))
        return false;
    if (*address || index == 0 || symbol.st_shndx != SHN_UNDEF)
        return true;
    *address = (uint64_t)(uintptr_t)library_address(name);
    if (!*address && ELF64_ST_BIND(symbol.st_info) != STB_WEAK)
        return cpu_elf_fail(object, "undefined symbol '%s' (relocation type %u): neither libm nor libc has it", name, relocation);
    return true;
}

static bool relocate(struct object *object)
{
    for (uint32_t i = 0; i < object->count; i++) {
        const Elf64_Shdr *table = &object->sections[i].header;
        if (table->sh_type == SHT_REL && table->sh_size)
            return cpu_elf_fail(object, "section %u has relocations without addends", i);
        if (table->sh_type != SHT_RELA)
            continue;
        if (table->sh_info >= object->count || table->sh_entsize != sizeof(Elf64_Rela))
            return cpu_elf_fail(object, "the relocation table in section %u is damaged", i);
        const struct section *target = &object->sections[table->sh_info];
        if (!target->placed)
            continue;
        for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= table->sh_size; at += sizeof(Elf64_Rela)) {
            Elf64_Rela relocation;
            memcpy(&relocation, object->data + table->sh_offset + at, sizeof relocation);
            if (target->header.sh_type == SHT_NOBITS)
                return cpu_elf_fail(object, "section %u has relocations but no contents", table->sh_info);
            if (!cpu_elf_relocate(object, target, &relocation))
                return false;
        }
    }
    return true;
}

static bool protect(struct object *object)
{
    static const int rights[] = {[GROUP_CODE] = PROT_READ | PROT_EXEC, [GROUP_CONSTANT] = PROT_READ};
    for (enum group group = GROUP_CODE; group <= GROUP_CONSTANT; group++) {
        uint8_t *start = object->memory + object->group_start[group];
        uint64_t size = object->group_start[group + 1] - object->group_start[group];
        if (group == GROUP_CODE)
            __builtin___clear_cache((char *)start, (char *)start + size);
        if (size && mprotect(start, size, rights[group]))
            return cpu_elf_fail(object, "the system refuses to make the image executable");
    }
    return true;
}

/* Global symbols, for cpu_image_address. */
struct symbol {
    char *name;
    void *address;
};

struct cpu_image {
    uint8_t *memory;
    uint64_t memory_size;
    struct symbol *symbols;
    uint64_t symbol_count;
    struct jit_code_entry *announced; /* NULL: debuggers do not know it */
};

static bool keep_symbols(struct object *object, struct cpu_image *image)
{
    image->symbols = calloc(object->symbol_count + 1, sizeof *image->symbols);
    if (!image->symbols)
        return cpu_elf_fail(object, "out of memory");
    for (uint64_t i = 1; i < object->symbol_count; i++) {
        Elf64_Sym symbol;
        const char *name;
        uint64_t address;
        if (!cpu_elf_symbol(object, i, &symbol, &name) || !defined_address(object, &symbol, name, &address))
            return false;
        if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL || !address)
            continue;
        struct symbol *kept = &image->symbols[image->symbol_count];
        kept->name = strdup(name);
        kept->address = (void *)(uintptr_t)address;
        if (!kept->name)
            return cpu_elf_fail(object, "out of memory");
        image->symbol_count++;
    }
    return true;
}

struct cpu_image *cpu_image_load(const uint8_t *data, size_t size, bool debug, char *error, size_t error_size)
{
    struct object object = {.data = data, .size = size, .error = error, .error_size = error_size};
    struct cpu_image *image = calloc(1, sizeof *image);
    bool good = image ? read_header(&object) && read_sections(&object) && read_symbols(&object) && lay_out(&object) &&
                            load_sections(&object) && relocate(&object) && protect(&object) && keep_symbols(&object, image)
                      : cpu_elf_fail(&object, "out of memory");
    if (good && debug)
        image->announced = cpu_elf_announce(&object);
    free(object.sections);
    if (image) {
        image->memory = object.memory;
        image->memory_size = object.memory_size;
    }
    if (!good) {
        cpu_image_free(image);
        return NULL;
    }
    return image;
}

void *cpu_image_address(const struct cpu_image *image, const char *symbol)
{
    for (uint64_t i = 0; i < image->symbol_count; i++)
        if (!strcmp(image->symbols[i].name, symbol))
            return image->symbols[i].address;
    return NULL;
}

void cpu_image_range(const struct cpu_image *image, uint64_t *base, uint64_t *size)
{
    *base = (uint64_t)(uintptr_t)image->memory;
    *size = image->memory_size;
}

void cpu_image_free(struct cpu_image *image)
{
    if (!image)
        return;
    cpu_elf_withdraw(image->announced);
    for (uint64_t i = 0; i < image->symbol_count; i++)
        free(image->symbols[i].name);
    free(image->symbols);
    if (image->memory)
        munmap(image->memory, image->memory_size);
    free(image);
}
