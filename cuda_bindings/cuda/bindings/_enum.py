# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Base class of the enumerations, and factories for enumerations and exception classes."""

from enum import IntEnum


class Enumeration(IntEnum):
    """An IntEnum that accepts unknown values, which a newer driver may return.

    Programs print statuses: the text of a member is ``<CUresult.CUDA_SUCCESS: 0>``, as in NVIDIA's package.
    """

    __str__ = IntEnum.__repr__

    def __format__(self, spec):
        return format(int(self), spec) if spec else str(self)

    def __reduce_ex__(self, protocol):  # by value in all releases of Python: the name may be unknown to another release
        return type(self), (self._value_,)

    @classmethod
    def _missing_(cls, value):
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value)
        member._name_ = f"{cls.__name__}_{value}"
        member._value_ = int(value)
        return cls._value2member_map_.setdefault(int(value), member)


def make_enum(name, members, module):
    """Return the enumeration `name` with `members`, pairs of name and value; later names of a value are aliases."""
    return Enumeration(name, members, module=module, qualname=name)


def make_error(name, enums, module):
    """Return the exception class `name` of an API whose functions raise.

    `enums` holds the enumeration of the status, and for calls with two statuses also that of CUDA's.
    """
    status_enum, *others = enums
    first = status_enum.__name__

    def __init__(self, status, cuda_error=None):
        self.status = int(status)
        known = status_enum(status)
        message = f"{known.name} ({int(status)})"
        if others:
            self.cuda_error = None if cuda_error is None else int(cuda_error)
            if cuda_error:
                message += f"; CUDA status: {others[0](cuda_error).name} ({int(cuda_error)})"
        Exception.__init__(self, message)

    def __init_one__(self, status):
        __init__(self, status)

    def __reduce__(self):
        return type(self), (self.status, self.cuda_error) if others else (self.status,), vars(self)

    doc = f"Failure of a call; `status` is {'an' if first[0] in 'AEIOU' else 'a'} {first} as int."
    namespace = {"__init__": __init__ if others else __init_one__, "__reduce__": __reduce__}
    return type(name, (Exception,), namespace | {"__module__": module, "__doc__": doc})
