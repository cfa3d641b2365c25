# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# Graph execution: sequences of commands, device-side updates, launches. Part of _runtime.pyx.

cdef class Sequence(Queue):
    """A reusable list of commands: recorded like those of a queue, then executed as a unit any number of times."""

    cdef cpu_sequence *sequence
    cdef public uint64_t node  # number that racecheck has given to the node whose commands are added

    def __cinit__(self, int priority=0, uint32_t workers=0):
        self.sequence = cpu_sequence_make()
        if self.sequence is NULL:
            raise MemoryError

    def __dealloc__(self):
        if cpu_process_state() != CPU_FORKED:
            cpu_sequence_release(self.sequence)

    cdef int submit(self, cpu_command *command) except -1:
        command.operation = self.node
        if not cpu_sequence_append(self.sequence, command):
            cpu_command_discard(command)
            raise ValueError("a sequence takes what can run again: launches, copies, fills, values, calls")
        return 0

    def updatable(self, uint64_t node, uint64_t token):
        """Let kernels update the launch appended last, through `node` (an address returned by `new_node`).

        Device-side updates of the node's previous launch are carried over if that one had the same token.
        """
        cpu_node_attach(<cpu_node *>node, cpu_sequence_last(self.sequence), token)

    def publish(self, uint64_t handle):
        """Let kernels launch the sequence by this handle; replaces a sequence published under it before."""
        if not cpu_graph_publish(handle, self.sequence):
            raise MemoryError


def new_node():
    """Return the address of a new node, through which kernels update a launch; a node is never freed."""
    cdef cpu_node *node = cpu_node_make()
    if node is NULL:
        raise MemoryError
    return <uint64_t>node


def withdraw(uint64_t handle):
    """Undo `Sequence.publish`: kernels can no longer launch by this handle."""
    if cpu_process_state() != CPU_FORKED:
        cpu_graph_withdraw(handle)


cdef class GraphRun:
    """One launch of a graph; its kernels see `handle` as the current graph (0: not for device launch)."""

    cdef cpu_graph_run *run

    def __cinit__(self, uint64_t handle):
        self.run = cpu_graph_run_make(handle)
        if self.run is NULL:
            raise MemoryError

    def __dealloc__(self):
        if cpu_process_state() != CPU_FORKED:
            cpu_graph_run_release(self.run)
