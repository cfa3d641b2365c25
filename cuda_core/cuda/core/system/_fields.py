# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""NVML fields (nvmlFieldValue_t), several of which one call reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cuda.core.system._library import nvml

if TYPE_CHECKING:
    from cuda.core.system.typing import FieldId

# nvmlValueType_t -> the member of nvmlValue_t that holds the value.
_MEMBERS = ("d_val", "ui_val", "ul_val", "ull_val", "sll_val", "si_val", "us_val")


class FieldValue:
    """The value of a field, or the error of reading it.

    Thread safety: immutable; threads may share it.
    """

    __slots__ = ("_data",)

    def __init__(self, data: Any) -> None:
        self._data = data

    @property
    def field_id(self) -> FieldId | int:
        """Return the id of the field; an int if nvml.h has no name for it."""
        known = nvml().FieldId
        number = int(self._data.field_id)
        return known(number) if number in known._value2member_map_ else number

    @property
    def scope_id(self) -> int:
        """Return the scope of the field, such as the index of a link."""
        return int(self._data.scope_id)

    @property
    def timestamp(self) -> int:
        """Return the time of the reading, in microseconds since 1970."""
        return int(self._data.timestamp)

    @property
    def latency_usec(self) -> int:
        """Return the duration of the reading, in microseconds."""
        return int(self._data.latency_usec)

    @property
    def value(self) -> int | float:
        """Return the value, or raise the error of reading the field."""
        nvml().check_status(int(self._data.nvml_return))
        kind = int(self._data.value_type)
        if not 0 <= kind < len(_MEMBERS):
            raise RuntimeError(f"field {self.field_id} has values of kind {kind}, which is unknown here")
        return getattr(self._data.value, _MEMBERS[kind])

    def __repr__(self) -> str:
        return f"<FieldValue of field {self.field_id}>"


class FieldValues(Sequence):
    """The values of fields, in the order of the request.

    Thread safety: immutable; threads may share it.
    """

    def __init__(self, data: Any) -> None:
        self._values = [FieldValue(item) for item in data]

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: Any) -> Any:
        return self._values[index]

    def validate(self) -> None:
        """Raise the error of the first field that could not be read, if any.

        Raises
        ------
        NvmlError
            The error of the field.

        Examples
        --------
        >>> from cuda.bindings import nvml
        >>> system.Device(0).get_field_values([nvml.FieldId.DEV_NVLINK_LINK_COUNT]).validate()
        """
        for value in self._values:
            value.value  # noqa: B018

    def get_all_values(self) -> list[int | float]:
        """Return all values, or raise for the first that could not be read.

        Returns
        -------
        list of int or float
            The values in the order of the request.

        Raises
        ------
        NvmlError
            The error of the field.

        Examples
        --------
        >>> from cuda.bindings import nvml
        >>> system.Device(0).get_field_values([nvml.FieldId.DEV_NVLINK_LINK_COUNT]).get_all_values()
        [...]
        """
        return [value.value for value in self._values]


def pairs(field_ids: Sequence[int | tuple[int, int]]) -> list[tuple[int, int]]:
    """Return field ids, each given as an int or as (id, scope), as pairs."""
    if isinstance(field_ids, (int, str)):
        raise TypeError(f"field_ids must be a list of field numbers, not {type(field_ids).__name__}")
    result = []
    for item in field_ids:
        field, scope = item if isinstance(item, tuple) else (item, 0)
        result.append((int(field), int(scope)))
    return result
