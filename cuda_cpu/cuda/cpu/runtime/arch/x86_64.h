/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * x86-64: see arch.h.
 */
#ifndef CUDA_CPU_ARCH_X86_64_H
#define CUDA_CPU_ARCH_X86_64_H

#include <stdint.h>

#define CPU_ELF_MACHINE EM_X86_64

static inline void cpu_relax(void)
{
    __builtin_ia32_pause();
}

/* The psABI's initial values: round to nearest, exceptions masked, denormals not flushed. */
static inline void cpu_reset_floating_point(void)
{
    __builtin_ia32_ldmxcsr(0x1f80);
    uint16_t control = 0x037f;
    __asm__ volatile("fldcw %0" : : "m"(control));
}

/* Of a ucontext_t. */
#define CPU_PROGRAM_COUNTER(context) ((uint64_t)(context)->uc_mcontext.gregs[REG_RIP])
#define CPU_STACK_POINTER(context) ((uint64_t)(context)->uc_mcontext.gregs[REG_RSP])
#define CPU_LINK_REGISTER(context) ((void)(context), (uint64_t)0) /* calls push the return address */

#define CPU_REGISTERS 27 /* in a core dump */

/* Assembly of a jump through the pointer variable `name`. */
#define CPU_JUMP_THROUGH(name) "\tjmp *" name "(%rip)\n"

#endif

#ifdef CPU_ARCH_FIBERS

void *cpu_fiber_prepare(struct cpu_stack *stack, void (*function)(void *), void *argument)
{
    uint64_t *sp = (uint64_t *)((uintptr_t)stack->top & ~(uintptr_t)63);
    *--sp = 0;
    *--sp = 0; /* return address 0 ends the call chain, for debuggers */
    *--sp = (uint64_t)(uintptr_t)cpu_fiber_begin;
    *--sp = 0;                                /* rbp */
    *--sp = 0;                                /* rbx */
    *--sp = (uint64_t)(uintptr_t)argument;    /* r12 */
    *--sp = (uint64_t)(uintptr_t)function;    /* r13 */
    *--sp = 0;                                /* r14 */
    *--sp = 0;                                /* r15 */
    *--sp = (uint64_t)0x037f << 32 | 0x1f80;  /* x87 control word, mxcsr: the psABI's initial values */
    return sp;
}

__asm__(".pushsection .text\n"
        ".p2align 4\n"
        ".globl cpu_fiber_switch\n"
        ".hidden cpu_fiber_switch\n"
        ".type cpu_fiber_switch, @function\n"
        "cpu_fiber_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  subq $8, %rsp\n"
        "  stmxcsr (%rsp)\n"
        "  fnstcw 4(%rsp)\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rdi\n"
        ".globl cpu_fiber_jump\n"
        ".hidden cpu_fiber_jump\n"
        ".type cpu_fiber_jump, @function\n"
        "cpu_fiber_jump:\n"
        "  movq %rdi, %rsp\n"
        "  ldmxcsr (%rsp)\n"
        "  fldcw 4(%rsp)\n"
        "  addq $8, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  popq %rcx\n"
        "  jmpq *%rcx\n" /* not ret: the return predictor holds the address of the fiber that is left */
        ".size cpu_fiber_jump, .-cpu_fiber_jump\n"
        ".globl cpu_fiber_begin\n"
        ".hidden cpu_fiber_begin\n"
        ".type cpu_fiber_begin, @function\n"
        "cpu_fiber_begin:\n"
        "  .cfi_startproc\n"
        "  .cfi_undefined rip\n"
        "  movq %r12, %rdi\n"
        "  callq *%r13\n"
        "  ud2\n"
        "  .cfi_endproc\n"
        ".size cpu_fiber_begin, .-cpu_fiber_begin\n"
        ".popsection\n");

#endif

#ifdef CPU_ARCH_RELOCATIONS

/* Relocations: x86-64 psABI, "Relocation Types". */
#define RELOCATION_NONE R_X86_64_NONE
static const uint8_t stub_jump[8] = {0xff, 0x25, 2, 0, 0, 0, 0x90, 0x90}; /* jmp *2(%rip) */

static uint64_t relocation_width(uint32_t type)
{
    bool wide = type == R_X86_64_64 || type == R_X86_64_PC64 || type == R_X86_64_GOTOFF64 || type == R_X86_64_GOTPC64 ||
                type == R_X86_64_GOT64;
    return wide ? 8 : 4;
}

/* Store `value` in a field of `bits` bits; false on overflow. 33: a 32-bit field that is unsigned. */
static bool store(struct object *object, uint8_t *field, uint32_t type, int64_t value, unsigned bits)
{
    if (bits == 33 ? (uint64_t)value > UINT32_MAX : bits == 32 && !near(value, 32))
        return too_far(object, type);
    memcpy(field, &value, bits == 64 ? 8 : 4);
    return true;
}

static bool relocate_field(const struct relocation *r)
{
    struct object *object = r->object;
    uint8_t *field = r->field;
    uint32_t type = r->type;
    uint64_t value = r->value, here = (uint64_t)(uintptr_t)field;
    uint64_t got = (uint64_t)(uintptr_t)object->memory; /* the stubs contain the GOT entries */
    switch (type) {
    case R_X86_64_64:
        return store(object, field, type, (int64_t)value, 64);
    case R_X86_64_PC64:
        return store(object, field, type, (int64_t)(value - here), 64);
    case R_X86_64_GOTOFF64:
        return store(object, field, type, (int64_t)(value - got), 64);
    case R_X86_64_GOTPC64:
        return store(object, field, type, (int64_t)(got + r->addend - here), 64);
    case R_X86_64_GOTPC32:
        return store(object, field, type, (int64_t)(got + r->addend - here), 32);
    case R_X86_64_GOT64:
        value = (uint64_t)(uintptr_t)stub_of(r) + 8 + r->addend;
        return store(object, field, type, (int64_t)(value - got), 64);
    case R_X86_64_32:
        return store(object, field, type, (int64_t)value, 33);
    case R_X86_64_32S:
        return store(object, field, type, (int64_t)value, 32);
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
        if (!near((int64_t)(value - here), 32)) /* a call to a library, out of range */
            value = (uint64_t)(uintptr_t)stub_of(r) + r->addend;
        return store(object, field, type, (int64_t)(value - here), 32);
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        value = (uint64_t)(uintptr_t)stub_of(r) + 8 + r->addend;
        return store(object, field, type, (int64_t)(value - here), 32);
    default:
        return cpu_elf_fail(object, "relocation type %u is not supported", type);
    }
}

#endif

#ifdef CPU_ARCH_SNAPSHOTS

#define FRAME_POINTER 6 /* DWARF's number */

enum { RBP = 4, RIP = 16, RSP = 19 }; /* in struct user_regs_struct */

static uint64_t stack_pointer_of(const uint64_t *registers)
{
    return registers[RSP];
}

static void set_frame(uint64_t *registers, uint64_t pc, uint64_t frame, uint64_t sp)
{
    registers[RIP] = pc, registers[RBP] = frame, registers[RSP] = sp;
}

static void copy_registers(uint64_t *registers, const ucontext_t *context)
{
    static const int order[] = {REG_R15, REG_R14, REG_R13, REG_R12, REG_RBP, REG_RBX, REG_R11, REG_R10, REG_R9,
                                REG_R8, REG_RAX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RAX, REG_RIP, -1,
                                REG_EFL, REG_RSP};
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        registers[i] = order[i] < 0 ? 0 : (uint64_t)context->uc_mcontext.gregs[order[i]];
}

#endif
