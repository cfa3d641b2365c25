# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The subjects into which pages of the reference of cuda.bindings divide their functions."""

import re

# Of the driver's and the runtime's functions: the groups of NVIDIA's reference that they consist of.
GROUPS = {
    "Errors and versions": "ERROR INITIALIZE VERSION __VERSION DRIVER__ENTRY__POINT LOGS",
    "Devices": "DEVICE PEER PEER__ACCESS",
    "Contexts": "CTX PRIMARY__CTX GREEN__CONTEXTS EXECUTION__CONTEXT",
    "Modules, libraries and kernels": "MODULE LIBRARY",
    "Launches": "EXEC EXECUTION OCCUPANCY",
    "Memory": "MEM MEMORY UNIFIED",
    "Memory in stream order": "MALLOC__ASYNC MEMORY__POOLS",
    "Virtual memory and multicast": "VA MULTICAST",
    "Streams": "STREAM MEMOP",
    "Events": "EVENT",
    "Graphs": "GRAPH",
    "Textures, surfaces and tensor maps": "TEXOBJECT SURFOBJECT TENSOR__MEMORY TEXTURE__OBJECT SURFACE__OBJECT",
    "Other APIs and processes": "EXTRES__INTEROP GRAPHICS GL EGL VDPAU INTEROP DRIVER OPENGL",
    "Fabric": "LOGICAL__ENDPOINT FABRIC__COPY CLIQUE",
    "Profiling, core dumps and checkpoints": "PROFILER COREDUMP CHECKPOINT",
}
# Of other modules: patterns of the functions' names; the first that occurs in a name decides.
NAMES = {
    "nvml": {
        "Confidential computing": "conf_compute|dram_encryption",
        "Virtual GPUs": "vgpu|virtualization_mode|grid_licensable|pgpu",
        "Multi-instance GPUs": "gpu_instance|compute_instance|_mig_",
        "Performance monitoring (GPM)": "^gpm_|perf_metrics|prm_counters|read_write_prm|telemetry_samples",
        "Initialisation, errors and versions": "^init|^shutdown|^error_|^check_|^system_get_.*(version|branch|name)",
        "System": "^system_(?!.*event)|excluded_device",
        "Events": "event_set|_events|event_types",
        "S-class units": "^unit_",
        "NVLink and fabric": "nvlink|nv_link|fabric|c2c",
        "PCI Express and topology": "pci|topology|p2p|bus_type|bridge_chip|_board$|discover|drain|remove_gpu",
        "Processes, accounting and encoder sessions": "process|accounting|encoder_(?!util)|fbc",
        "Temperature and fans": "temperature|thermal|fan|cooler",
        "Power": "power|energy|tgp",
        "Clocks and performance states": "clock|clk|p_?state|performance_|boost|violation",
        "Memory, ECC and repair": "memory|ecc|retired|remap|repair|bar1",
        "Utilisation and samples": "utilization|samples|field_values",
        "Affinity and NUMA": "affinity|numa",
    },
    "cufile": {
        "Driver": "^driver_|^use_count|^get_version|^op_status",
        "Files, buffers and streams": "register",
        "Reads and writes": "^read|^write",
        "Batches": "^batch",
        "Parameters": "parameter",
        "Statistics": "stats",
    },
    "cudla": {
        "Devices": "device",
        "Modules and tasks": "module|task",
        "Memory": "^mem_",
    },
}
# What none of the patterns finds.
REST = {"nvml": "Identity and modes of devices"}
OTHER = "Other functions"


def by_name(module: str, functions: list[str]) -> dict[str, list[str]]:
    """Return the sorted functions of a module by subject; a module without patterns has one subject."""
    patterns = NAMES.get(module)
    if patterns is None:
        return {"Functions": sorted(functions)}
    rest = REST.get(module, OTHER)
    found: dict[str, list[str]] = {title: [] for title in (*patterns, rest)}
    for function in sorted(functions):
        title = next((title for title, pattern in patterns.items() if re.search(pattern, function)), rest)
        found[title].append(function)
    return {title: members for title, members in found.items() if members}
