# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""User objects (CUuserObject): reference-counted objects of the caller that graphs keep alive."""

from __future__ import annotations

import ctypes

from cuda.cpu.abi import CU_GRAPH_USER_OBJECT_MOVE, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC
from cuda.cpu.driver.base import once
from cuda.cpu.driver.base.error import invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.device import device as devices
from cuda.cpu.driver.graph.graph import graphs

objects = Table("user object")

_destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
MOST = 2**31 - 1


class UserObject:
    def __init__(self, pointer: int, destroy: int, count: int) -> None:
        self.pointer = pointer
        self.destroy = _destructor(destroy)
        self.count = count
        self.handle = objects.add(self)

    def retain(self, count: int) -> None:
        with once.lock:
            objects.find(self.handle)
            self.count += count

    def release(self, count: int) -> None:
        with once.lock:
            _check("the release of a user object", count, self.count)
            self.count -= count
            if self.count:
                return
            del objects[self.handle]
        self.destroy(self.pointer)


def _check(name: str, count: int, most: int = MOST) -> None:
    if not 0 < count <= most:
        raise invalid(f"{name}: the count is {count}, must be 1 to {most}")


def cuUserObjectCreate(ptr: int, destroy: int, initialRefcount: int, flags: int) -> int:
    devices.check_started()
    _check("cuUserObjectCreate", initialRefcount)
    if not destroy or flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC:
        raise invalid("cuUserObjectCreate: destroy is NULL, or flags is not CU_USER_OBJECT_NO_DESTRUCTOR_SYNC")
    return UserObject(ptr, destroy, initialRefcount).handle


def cuUserObjectRetain(object_: int, count: int) -> None:
    thing = objects.find(object_)
    _check("cuUserObjectRetain", count)
    thing.retain(count)


def cuUserObjectRelease(object_: int, count: int) -> None:
    thing = objects.find(object_)
    thing.release(count)


def cuGraphRetainUserObject(graph: int, object_: int, count: int, flags: int) -> None:
    owner, thing = graphs.find(graph), objects.find(object_)
    move = flags == CU_GRAPH_USER_OBJECT_MOVE
    if flags and not move:
        raise invalid(f"cuGraphRetainUserObject: flags is {flags}, must be 0 or CU_GRAPH_USER_OBJECT_MOVE")
    _check("cuGraphRetainUserObject", count, thing.count if move else MOST)
    if not move:
        thing.retain(count)
    owner.objects[thing] = owner.objects.get(thing, 0) + count


def cuGraphReleaseUserObject(graph: int, object_: int, count: int) -> None:
    owner, thing = graphs.find(graph), objects.find(object_)
    _check("cuGraphReleaseUserObject", count, owner.objects.get(thing, 0))
    owner.objects[thing] -= count
    if not owner.objects[thing]:
        del owner.objects[thing]
    thing.release(count)


def forget_after_fork() -> None:
    objects.clear()
