/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Relocations (x86-64 psABI, "Relocation Types"; ELF for the Arm 64-bit Architecture, "Relocation types"), as far as
 * LLVM emits them for position-independent code without thread-local storage.
 */
#include <string.h>

#include "elf_parts.h"

/* The symbol's stub, filled at first need. It can be reached from everywhere in the image, its target cannot. */
static uint8_t *stub_of(struct object *object, uint64_t index, uint64_t address)
{
    uint8_t *stub = object->memory + index * CPU_ELF_STUB;
#if defined(__x86_64__)
    static const uint8_t jump[8] = {0xff, 0x25, 2, 0, 0, 0, 0x90, 0x90}; /* jmp *2(%rip) */
    memcpy(stub, jump, 8);
#elif defined(__aarch64__)
    static const uint32_t jump[2] = {0x58000050, 0xd61f0200}; /* ldr x16, .+8; br x16 */
    memcpy(stub, jump, 8);
#else
#error "unknown target CPU: see CONTRIBUTING.md, Add a target CPU"
#endif
    memcpy(stub + 8, &address, 8);
    return stub;
}

static bool near(int64_t distance, unsigned bits)
{
    int64_t limit = (int64_t)1 << (bits < 63 ? bits - 1 : 62);
    return bits == 64 || (distance >= -limit && distance < limit);
}

static bool too_far(struct object *object, uint32_t type)
{
    return cpu_elf_fail(object, "a relocation of type %u does not reach its target: the object is not position-independent", type);
}

/* Whether `width` bytes at the relocation's offset belong to the section. */
static bool fits(const struct section *target, const Elf64_Rela *relocation, uint64_t width)
{
    return relocation->r_offset <= target->header.sh_size && width <= target->header.sh_size - relocation->r_offset;
}

#if defined(__x86_64__)

/* value: what the field gets; bits: its width, 33 for 32 unsigned ones. */
static bool store(struct object *object, uint8_t *field, uint32_t type, int64_t value, unsigned bits)
{
    if (bits == 33 ? (uint64_t)value > UINT32_MAX : bits == 32 && !near(value, 32))
        return too_far(object, type);
    memcpy(field, &value, bits == 64 ? 8 : 4);
    return true;
}

bool cpu_elf_relocate(struct object *object, const struct section *target, const Elf64_Rela *relocation)
{
    uint32_t type = ELF64_R_TYPE(relocation->r_info);
    uint64_t index = ELF64_R_SYM(relocation->r_info), address;
    bool wide = type == R_X86_64_64 || type == R_X86_64_PC64 || type == R_X86_64_GOTOFF64 || type == R_X86_64_GOTPC64 ||
                type == R_X86_64_GOT64;
    if (type == R_X86_64_NONE)
        return true;
    if (!fits(target, relocation, wide ? 8 : 4))
        return cpu_elf_fail(object, "a relocation lies outside of its section");
    if (!cpu_elf_resolve(object, index, type, &address))
        return false;
    uint8_t *field = object->memory + target->offset + relocation->r_offset;
    uint64_t value = address + (uint64_t)relocation->r_addend, here = (uint64_t)(uintptr_t)field;
    uint64_t got = (uint64_t)(uintptr_t)object->memory; /* the stubs are its entries */
    switch (type) {
    case R_X86_64_64:
        return store(object, field, type, (int64_t)value, 64);
    case R_X86_64_PC64:
        return store(object, field, type, (int64_t)(value - here), 64);
    case R_X86_64_GOTOFF64:
        return store(object, field, type, (int64_t)(value - got), 64);
    case R_X86_64_GOTPC64:
        return store(object, field, type, (int64_t)(got + (uint64_t)relocation->r_addend - here), 64);
    case R_X86_64_GOTPC32:
        return store(object, field, type, (int64_t)(got + (uint64_t)relocation->r_addend - here), 32);
    case R_X86_64_GOT64:
        value = (uint64_t)(uintptr_t)stub_of(object, index, address) + 8 + (uint64_t)relocation->r_addend;
        return store(object, field, type, (int64_t)(value - got), 64);
    case R_X86_64_32:
        return store(object, field, type, (int64_t)value, 33);
    case R_X86_64_32S:
        return store(object, field, type, (int64_t)value, 32);
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
        if (!near((int64_t)(value - here), 32)) /* a call to a library, which lies far away */
            value = (uint64_t)(uintptr_t)stub_of(object, index, address) + (uint64_t)relocation->r_addend;
        return store(object, field, type, (int64_t)(value - here), 32);
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        value = (uint64_t)(uintptr_t)stub_of(object, index, address) + 8 + (uint64_t)relocation->r_addend;
        return store(object, field, type, (int64_t)(value - here), 32);
    default:
        return cpu_elf_fail(object, "relocation type %u is not supported", type);
    }
}

#elif defined(__aarch64__)

static void set_bits(uint8_t *field, unsigned low, unsigned count, uint64_t value)
{
    uint32_t word, mask = (count == 32 ? UINT32_MAX : (1u << count) - 1) << low;
    memcpy(&word, field, 4);
    word = (word & ~mask) | (((uint32_t)value << low) & mask);
    memcpy(field, &word, 4);
}

/* adrp: the distance in pages, its low two bits at 29, the others at 5. */
static bool set_page(struct object *object, uint8_t *field, uint32_t type, uint64_t value)
{
    int64_t distance = (int64_t)(value & ~(uint64_t)4095) - (int64_t)((uint64_t)(uintptr_t)field & ~(uint64_t)4095);
    if (!near(distance, 33))
        return too_far(object, type);
    set_bits(field, 29, 2, (uint64_t)distance >> 12);
    set_bits(field, 5, 19, (uint64_t)distance >> 14);
    return true;
}

static bool set_distance(struct object *object, uint8_t *field, uint32_t type, uint64_t value, unsigned bits)
{
    int64_t distance = (int64_t)(value - (uint64_t)(uintptr_t)field);
    if (!near(distance, bits))
        return too_far(object, type);
    memcpy(field, &distance, bits / 8);
    return true;
}

bool cpu_elf_relocate(struct object *object, const struct section *target, const Elf64_Rela *relocation)
{
    uint32_t type = ELF64_R_TYPE(relocation->r_info);
    uint64_t index = ELF64_R_SYM(relocation->r_info), address;
    bool wide = type == R_AARCH64_ABS64 || type == R_AARCH64_PREL64;
    if (type == R_AARCH64_NONE)
        return true;
    if (!fits(target, relocation, wide ? 8 : 4))
        return cpu_elf_fail(object, "a relocation lies outside of its section");
    if (!cpu_elf_resolve(object, index, type, &address))
        return false;
    uint8_t *field = object->memory + target->offset + relocation->r_offset;
    uint64_t value = address + (uint64_t)relocation->r_addend;
    switch (type) {
    case R_AARCH64_ABS64:
        memcpy(field, &value, 8);
        return true;
    case R_AARCH64_PREL64:
        return set_distance(object, field, type, value, 64);
    case R_AARCH64_PREL32:
        return set_distance(object, field, type, value, 32);
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
        if (!near((int64_t)(value - (uint64_t)(uintptr_t)field), 28))
            value = (uint64_t)(uintptr_t)stub_of(object, index, address);
        if (!near((int64_t)(value - (uint64_t)(uintptr_t)field), 28))
            return too_far(object, type);
        set_bits(field, 0, 26, (value - (uint64_t)(uintptr_t)field) >> 2);
        return true;
    case R_AARCH64_ADR_GOT_PAGE:
        return set_page(object, field, type, (uint64_t)(uintptr_t)stub_of(object, index, address) + 8);
    case R_AARCH64_LD64_GOT_LO12_NC:
        set_bits(field, 10, 12, (((uint64_t)(uintptr_t)stub_of(object, index, address) + 8) & 4095) >> 3);
        return true;
    case R_AARCH64_ADR_PREL_PG_HI21:
        return set_page(object, field, type, value);
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
        set_bits(field, 10, 12, value & 4095);
        return true;
    case R_AARCH64_LDST16_ABS_LO12_NC:
        set_bits(field, 10, 12, (value & 4095) >> 1);
        return true;
    case R_AARCH64_LDST32_ABS_LO12_NC:
        set_bits(field, 10, 12, (value & 4095) >> 2);
        return true;
    case R_AARCH64_LDST64_ABS_LO12_NC:
        set_bits(field, 10, 12, (value & 4095) >> 3);
        return true;
    case R_AARCH64_LDST128_ABS_LO12_NC:
        set_bits(field, 10, 12, (value & 4095) >> 4);
        return true;
    default:
        return cpu_elf_fail(object, "relocation type %u is not supported", type);
    }
}

#endif
