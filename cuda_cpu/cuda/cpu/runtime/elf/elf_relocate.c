/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Applies relocations: those that LLVM emits for position-independent code without thread-local storage. The types of
 * each target CPU are in arch/.
 */
#include <string.h>

#include "elf_parts.h"

struct relocation {
    struct object *object;
    uint32_t type;
    uint64_t symbol; /* index */
    uint64_t address, addend, value; /* address: of the symbol; value: address + addend */
    uint8_t *field;
};

static uint8_t *stub_of(const struct relocation *r);

static bool near(int64_t distance, unsigned bits)
{
    int64_t limit = (int64_t)1 << (bits < 63 ? bits - 1 : 62);
    return bits == 64 || (distance >= -limit && distance < limit);
}

static bool too_far(struct object *object, uint32_t type)
{
    return cpu_elf_fail(object, "a relocation of type %u does not reach its target: the object is not position-independent", type);
}

/* Return whether `width` bytes at the relocation's offset lie in the section. */
static bool fits(const struct section *target, const Elf64_Rela *relocation, uint64_t width)
{
    return relocation->r_offset <= target->header.sh_size && width <= target->header.sh_size - relocation->r_offset;
}

#define CPU_ARCH_RELOCATIONS
#include "arch/arch.h"

/* Return the symbol's stub, which is filled at first use. Relative jumps reach it from anywhere in the image. */
static uint8_t *stub_of(const struct relocation *r)
{
    uint8_t *stub = r->object->memory + r->symbol * CPU_ELF_STUB;
    memcpy(stub, stub_jump, sizeof stub_jump);
    memcpy(stub + sizeof stub_jump, &r->address, 8);
    return stub;
}

bool cpu_elf_relocate(struct object *object, const struct section *target, const Elf64_Rela *relocation)
{
    struct relocation r = {.object = object, .type = ELF64_R_TYPE(relocation->r_info),
                           .symbol = ELF64_R_SYM(relocation->r_info), .addend = (uint64_t)relocation->r_addend};
    if (r.type == RELOCATION_NONE)
        return true;
    if (!fits(target, relocation, relocation_width(r.type)))
        return cpu_elf_fail(object, "a relocation lies outside of its section");
    if (!cpu_elf_resolve(object, r.symbol, r.type, &r.address))
        return false;
    r.field = object->memory + target->offset + relocation->r_offset;
    r.value = r.address + r.addend;
    return relocate_field(&r);
}
