# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Small HTML tables that notebooks show for objects: the `_repr_html_` methods of public classes."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import Any

_MOST_ROWS = 24


def table(title: str, rows: Mapping[str, Any]) -> str:
    """Return a table of names and values, all text escaped; further rows than fit are counted."""
    shown = list(rows.items())[:_MOST_ROWS]
    if len(rows) > _MOST_ROWS:
        shown.append(("", f"and {len(rows) - _MOST_ROWS} more"))
    cells = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(str(value))}</td></tr>" for name, value in shown)
    return f"<table><caption>{html.escape(title)}</caption><tbody>{cells}</tbody></table>"


def size(nbytes: int) -> str:
    """Return a number of bytes with a unit that suits it."""
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if nbytes >= factor:
            return f"{nbytes / factor:.4g} {unit}"
    return f"{nbytes} bytes"


def of_device(device: Any) -> str:
    """Return the table of a Device."""
    found = device.properties
    return table(
        f"Device {device.device_id}",
        {
            "name": device.name,
            "compute capability": ".".join(map(str, device.compute_capability)),
            "multiprocessors": found.multiprocessor_count,
            "warp size": found.warp_size,
            "threads per block": f"at most {found.max_threads_per_block}",
            "shared memory per block": f"at most {size(found.max_shared_memory_per_block_optin)}",
            "PCI bus id": device.pci_bus_id,
        },
    )


def of_buffer(buffer: Any) -> str:
    """Return the table of a Buffer."""
    if buffer.is_closed:
        return table(type(buffer).__name__, {"state": "closed"})
    return table(
        type(buffer).__name__, {"size": size(buffer.size), "address": hex(buffer.handle), "memory": _location(buffer)}
    )


def _location(buffer: Any) -> str:
    """Return the kind of a buffer's memory."""
    if not buffer.is_device_accessible:
        return "host"
    if not buffer.is_host_accessible:
        return f"device {buffer.device_id}"
    return "managed" if buffer.is_managed else "pinned host"


def of_array(array: Any) -> str:
    """Return the table of a DeviceArray."""
    rows = {"shape": array.shape, "dtype": array.dtype, "size": size(array.nbytes)}
    if not array.is_contiguous_c:
        rows["strides"] = f"{array.strides} bytes"
    if array.is_closed:
        return table("DeviceArray", rows | {"state": "closed"})
    return table("DeviceArray", rows | {"address": hex(array.ptr), "memory": _location(array.buffer)})


def of_kernel(kernel: Any, name: str) -> str:
    """Return the table of a Kernel."""
    parameters: Iterable[Any] = kernel.arguments_info
    sizes = {f"parameter {index}": f"{each.size} bytes" for index, each in enumerate(parameters, 1)}
    return table(name, {"parameters": len(sizes)} | sizes)


def of_program(program: Any, code: Any) -> str:
    """Return the table of a Program."""
    text = code.decode(errors="replace") if isinstance(code, (bytes, bytearray)) else str(code)
    options = program._options
    return table(
        f"Program {program._name}",
        {
            "code": program._code_type,
            "lines": len(text.splitlines()),
            "arch": options.arch or "the oldest that the compiler supports",
            "compiler": program.backend,
            "state": "closed" if program.is_closed else "open",
        },
    )


def of_code(code: Any) -> str:
    """Return the table of an ObjectCode; its kernels are listed where its text or a loaded library tells them."""
    data = code.code
    rows = {"type": code.code_type, "size" if isinstance(data, bytes) else "file": _extent(data)}
    names = sorted(code.symbol_mapping) or (code._library.kernel_names() if code._library else list(code._signatures()))
    return table(f"ObjectCode {code.name}".strip(), rows | {f"kernel {at}": name for at, name in enumerate(names, 1)})


def _extent(data: bytes | str) -> str:
    return size(len(data)) if isinstance(data, bytes) else data


def of_module(module: Any) -> str:
    """Return the table of a Module."""
    if module._code is None:
        return table("Module", {"state": "closed"})
    return table("Module", {f"kernel {at}": name for at, name in enumerate(module.kernel_names, 1)})
