/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * aarch64: see arch.h.
 */
#ifndef CUDA_CPU_ARCH_AARCH64_H
#define CUDA_CPU_ARCH_AARCH64_H

#include <stdint.h>

#define CPU_ELF_MACHINE EM_AARCH64

static inline void cpu_relax(void)
{
    __asm__ volatile("yield");
}

/* Round to nearest, denormals not flushed. */
static inline void cpu_reset_floating_point(void)
{
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
}

/* Of a ucontext_t. */
#define CPU_PROGRAM_COUNTER(context) ((uint64_t)(context)->uc_mcontext.pc)
#define CPU_STACK_POINTER(context) ((uint64_t)(context)->uc_mcontext.sp)
#define CPU_LINK_REGISTER(context) ((uint64_t)(context)->uc_mcontext.regs[30])

#define CPU_REGISTERS 34 /* in a core dump */

/* Assembly of a jump through the pointer variable `name`. */
#define CPU_JUMP_THROUGH(name) "\tadrp x16, " name "\n\tldr x16, [x16, :lo12:" name "]\n\tbr x16\n"

#endif

#ifdef CPU_ARCH_FIBERS

/* Frame: x19-x30 (96 bytes), d8-d15 (64), fpcr (8), padding (8). */
void *cpu_fiber_prepare(struct cpu_stack *stack, void (*function)(void *), void *argument)
{
    uint64_t *sp = (uint64_t *)((uintptr_t)stack->top & ~(uintptr_t)63) - 22;
    memset(sp, 0, 22 * sizeof *sp);
    sp[0] = (uint64_t)(uintptr_t)argument;         /* x19 */
    sp[1] = (uint64_t)(uintptr_t)function;         /* x20 */
    sp[11] = (uint64_t)(uintptr_t)cpu_fiber_begin; /* x30 */
    return sp;
}

__asm__(".pushsection .text\n"
        ".p2align 4\n"
        ".globl cpu_fiber_switch\n"
        ".hidden cpu_fiber_switch\n"
        ".type cpu_fiber_switch, %function\n"
        "cpu_fiber_switch:\n"
        "  sub sp, sp, #176\n"
        "  stp x19, x20, [sp]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n"
        "  stp x25, x26, [sp, #48]\n  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
        "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n"
        "  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
        "  mrs x9, fpcr\n  str x9, [sp, #160]\n"
        "  mov x9, sp\n  str x9, [x0]\n"
        "  mov x0, x1\n"
        ".globl cpu_fiber_jump\n"
        ".hidden cpu_fiber_jump\n"
        ".type cpu_fiber_jump, %function\n"
        "cpu_fiber_jump:\n"
        "  mov sp, x0\n"
        "  ldr x9, [sp, #160]\n  msr fpcr, x9\n"
        "  ldp x19, x20, [sp]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n"
        "  ldp x25, x26, [sp, #48]\n  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
        "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n"
        "  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
        "  add sp, sp, #176\n"
        "  ret\n"
        ".size cpu_fiber_jump, .-cpu_fiber_jump\n"
        ".globl cpu_fiber_begin\n"
        ".hidden cpu_fiber_begin\n"
        ".type cpu_fiber_begin, %function\n"
        "cpu_fiber_begin:\n"
        "  mov x0, x19\n"
        "  blr x20\n"
        "  brk #0\n"
        ".size cpu_fiber_begin, .-cpu_fiber_begin\n"
        ".popsection\n");

#endif

#ifdef CPU_ARCH_RELOCATIONS

/* Relocations: ELF for the Arm 64-bit Architecture, "Relocation types". */
#define RELOCATION_NONE R_AARCH64_NONE
static const uint8_t stub_jump[8] = {0x50, 0, 0, 0x58, 0, 0x02, 0x1f, 0xd6}; /* ldr x16, .+8; br x16 */

static uint64_t relocation_width(uint32_t type)
{
    return type == R_AARCH64_ABS64 || type == R_AARCH64_PREL64 ? 8 : 4;
}

static void set_bits(uint8_t *field, unsigned low, unsigned count, uint64_t value)
{
    uint32_t word, mask = (count == 32 ? UINT32_MAX : (1u << count) - 1) << low;
    memcpy(&word, field, 4);
    word = (word & ~mask) | (((uint32_t)value << low) & mask);
    memcpy(field, &word, 4);
}

/* adrp: the distance in pages; its low two bits are at bit 29 of the instruction, the others at bit 5. */
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

static bool relocate_field(const struct relocation *r)
{
    struct object *object = r->object;
    uint8_t *field = r->field;
    uint32_t type = r->type;
    uint64_t value = r->value;
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
            value = (uint64_t)(uintptr_t)stub_of(r);
        if (!near((int64_t)(value - (uint64_t)(uintptr_t)field), 28))
            return too_far(object, type);
        set_bits(field, 0, 26, (value - (uint64_t)(uintptr_t)field) >> 2);
        return true;
    case R_AARCH64_ADR_GOT_PAGE:
        return set_page(object, field, type, (uint64_t)(uintptr_t)stub_of(r) + 8);
    case R_AARCH64_LD64_GOT_LO12_NC:
        set_bits(field, 10, 12, (((uint64_t)(uintptr_t)stub_of(r) + 8) & 4095) >> 3);
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

#ifdef CPU_ARCH_SNAPSHOTS

#define FRAME_POINTER 29 /* DWARF's number */

enum { SP = 31, PC = 32, PSTATE = 33 }; /* in struct user_pt_regs, behind x0 to x30 */

static uint64_t stack_pointer_of(const uint64_t *registers)
{
    return registers[SP];
}

static void set_frame(uint64_t *registers, uint64_t pc, uint64_t frame, uint64_t sp)
{
    registers[PC] = pc, registers[FRAME_POINTER] = frame, registers[SP] = sp;
}

static void copy_registers(uint64_t *registers, const ucontext_t *context)
{
    for (unsigned i = 0; i < SP; i++)
        registers[i] = context->uc_mcontext.regs[i];
    registers[SP] = context->uc_mcontext.sp;
    registers[PC] = context->uc_mcontext.pc;
    registers[PSTATE] = context->uc_mcontext.pstate;
}

#endif
