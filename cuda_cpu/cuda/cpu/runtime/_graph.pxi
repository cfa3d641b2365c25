# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# Graph execution: sequences of commands, device-side updates, launches. Part of _runtime.pyx.

cdef class Sequence(Queue):
    """Takes commands like a queue, and keeps them, so that they can be run as one and again."""

    cdef cpu_sequence *sequence

    def __cinit__(self, int priority=0, uint32_t workers=0):
        self.sequence = cpu_sequence_make()
        if self.sequence is NULL:
            raise MemoryError

    def __dealloc__(self):
        if cpu_process_state() != CPU_FORKED:
            cpu_sequence_release(self.sequence)

    cdef int submit(self, cpu_command *command) except -1:
        if not cpu_sequence_append(self.sequence, command):
            cpu_command_discard(command)
            raise ValueError("a sequence takes what can run again: launches, copies, fills, values, calls")
        return 0

    def updatable(self, uint64_t node, uint64_t token):
        """Let kernels update the launch that was put in last through a node of `new_node`.

        What they have changed of another launch of the same token stays.
        """
        cpu_node_attach(<cpu_node *>node, cpu_sequence_last(self.sequence), token)

    def publish(self, uint64_t handle):
        """Let kernels launch the sequence by this handle, instead of what had it before."""
        if not cpu_graph_publish(handle, self.sequence):
            raise MemoryError


def new_node():
    """Return the address of a new node through which kernels update a launch; it is never given back."""
    cdef cpu_node *node = cpu_node_make()
    if node is NULL:
        raise MemoryError
    return <uint64_t>node


def withdraw(uint64_t handle):
    """End what `Sequence.publish` began."""
    if cpu_process_state() != CPU_FORKED:
        cpu_graph_withdraw(handle)


cdef class GraphRun:
    """One launch of a graph; `handle` is what its kernels see as the current graph, 0 where they cannot launch it."""

    cdef cpu_graph_run *run

    def __cinit__(self, uint64_t handle):
        self.run = cpu_graph_run_make(handle)
        if self.run is NULL:
            raise MemoryError

    def __dealloc__(self):
        if cpu_process_state() != CPU_FORKED:
            cpu_graph_run_release(self.run)
