# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Enumerations, and exceptions that carry one, made on first use."""

from enum import IntEnum


class Enumeration(IntEnum):
    """An IntEnum that takes values it does not know, for a newer driver may return them."""

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


def make_error(name, status_enum, module):
    """Return the exception class `name` of an API whose functions raise."""

    def __init__(self, status):
        self.status = int(status)
        status = status_enum(status)
        Exception.__init__(self, f"{status.name} ({int(status)})")

    def __reduce__(self):
        return type(self), (self.status,)

    doc = f"Failure of a call; `status` is a {status_enum.__name__} as int."
    namespace = {"__init__": __init__, "__reduce__": __reduce__, "__module__": module, "__doc__": doc}
    return type(name, (Exception,), namespace)
