# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# racecheck across launches: what operations have accessed. Part of _runtime.pyx.


def on_command(hook):
    """Tell `hook` of operations, event records and waits from now on, or nothing any more for None.

    It has `submitted(queue, kernel) -> number`, `recorded(queue, event)`, `waits(queue, event)` and
    `waits_for_value(queue)`.
    """
    global command_hook
    command_hook = hook
    invalidate_fast_path()
    cpu_operations_switch(hook is not None)


cdef class Operation:
    """What an operation of a stream, or a node of a graph that is part of it, has accessed."""

    cdef cpu_operation *operation

    def __dealloc__(self):
        cpu_operation_free(self.operation)

    @property
    def number(self):
        return self.operation.operation

    @property
    def node(self):
        return self.operation.node

    @property
    def round(self):
        return self.operation.round

    @property
    def grid_id(self):
        return self.operation.grid_id

    @property
    def symbols(self):
        return <uint64_t>self.operation.symbols

    @property
    def kernel(self):
        return (<char *>self.operation.kernel).decode("utf-8", "replace")

    @property
    def grid_dim(self):
        return (self.operation.grid_dim[0], self.operation.grid_dim[1], self.operation.grid_dim[2])

    @property
    def block_dim(self):
        return (self.operation.block_dim[0], self.operation.block_dim[1], self.operation.block_dim[2])

    @property
    def ranges(self):
        """Return the number of ranges."""
        return self.operation.count

    def allocations(self):
        """Return the set of the allocations that were accessed, by their ids."""
        cdef uint64_t last = 0
        cdef size_t i
        found = set()
        for i in range(self.operation.count):
            if self.operation.of[i].allocation != last:
                last = self.operation.of[i].allocation
                found.add(last)
        return found

    def conflicts(self, Operation other not None):
        """Return conflicting accesses: (start, end, allocation, number of pairs, access, access of the other).

        An access is (site, linear block, linear thread, flags CPU_TOUCHED_*).
        """
        cdef cpu_conflict found[64]
        cdef cpu_conflict *each
        cdef size_t count = cpu_operation_conflicts(self.operation, other.operation, found, 64)
        cdef size_t i
        listed = []
        for i in range(count):
            each = &found[i]
            listed.append((
                each.start, each.end, each.allocation, each.count,
                (each.a.site, each.a.block, each.a.thread, each.a.flags),
                (each.b.site, each.b.block, each.b.thread, each.b.flags),
            ))
        return listed


cdef Operation operation_of(cpu_operation *taken):
    cdef Operation made = Operation.__new__(Operation)
    made.operation = taken
    return made


def take_operations():
    """Remove and return what was recorded of operations that have ended, in any order."""
    cdef cpu_operation *each = cpu_operations_take()
    cdef cpu_operation *next
    found = []
    while each is not NULL:
        next = each.next
        found.append(operation_of(each))
        each = next
    return found


def new_operation(uint64_t number, uint64_t start, uint64_t size, uint64_t allocation):
    """Return an operation that writes a range."""
    cdef cpu_operation *made = cpu_operation_make(number, start, size, allocation)
    if made is NULL:
        raise MemoryError
    return operation_of(made)
