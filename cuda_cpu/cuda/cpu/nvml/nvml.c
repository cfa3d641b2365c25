/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   NVML for CPU devices: the supported functions of libnvidia-ml.so.1, with their C signatures. All other functions of
   nvml.h are in the generated _unsupported.c. */
#include "../entry/interpreter.h"

/* nvmlReturn_t (nvml.h). */
enum {
    UNINITIALIZED = 1,
    INVALID_ARGUMENT = 2,
    NOT_SUPPORTED = 3,
    MISMATCH = 18,
    MEMORY = 20,
    UNKNOWN = 999,
};
#define OWN 10000 /* nvml/status.py adds it to an nvmlReturn_t, to distinguish it from the shell's own statuses */

static int status_of(int status) {
    if (status >= OWN) return status - OWN;
    switch (status) {
    case SHELL_SUCCESS: return 0;
    case SHELL_INVALID_VALUE: return INVALID_ARGUMENT;
    case SHELL_OUT_OF_MEMORY: return MEMORY;
    case SHELL_NOT_INITIALIZED:
    case SHELL_DEINITIALIZED: return UNINITIALIZED;
    case SHELL_NOT_SUPPORTED: return NOT_SUPPORTED;
    case SHELL_SYSTEM_DRIVER_MISMATCH: return MISMATCH;
    default: return UNKNOWN;
    }
}

/* Define `symbol` to call the Python function `python` with the trailing arguments, outputs first (see shell_entry). */
#define EXPORT(symbol, python, signature, parameters, ...)                                                             \
    SHELL_EXPORT int symbol parameters {                                                                               \
        static struct shell_entry entry = {python, signature, 0};                                                      \
        return status_of(shell_call(&entry, ##__VA_ARGS__));                                                           \
    }

#define ONE_OUT(symbol, python) EXPORT(symbol, python, "4>u", (void *device, void *out), out, (uint64_t)device)
#define STRUCT_OUT(symbol, python) EXPORT(symbol, python, ">uu", (void *device, void *out), (uint64_t)device, (uint64_t)out)
#define TEXT_OF_DEVICE(symbol, python)                                                                                 \
    EXPORT(symbol, python, ">uuu", (void *device, char *text, unsigned length), (uint64_t)device, (uint64_t)text,      \
           (uint64_t)length)
#define TEXT(symbol, python)                                                                                           \
    EXPORT(symbol, python, ">uu", (char *text, unsigned length), (uint64_t)text, (uint64_t)length)
#define OF_TWO(symbol, python)                                                                                         \
    EXPORT(symbol, python, "4>uu", (void *device, void *other, void *out), out, (uint64_t)device, (uint64_t)other)
#define CLOCK(symbol, python)                                                                                          \
    EXPORT(symbol, python, "4>uu", (void *device, unsigned kind, void *out), out, (uint64_t)device, (uint64_t)kind)
#define LIST(symbol, python)                                                                                           \
    EXPORT(symbol, python, ">uuu", (void *device, void *count, void *infos), (uint64_t)device, (uint64_t)count,        \
           (uint64_t)infos)
#define REQUEST(symbol) EXPORT(symbol, #symbol, ">u", (void *request), (uint64_t)request)
#define BY_NUMBER(symbol) EXPORT(symbol, "nvmlDeviceGetHandleByIndex", "8>u", (unsigned index, void *out), out, (uint64_t)index)
#define BY_TEXT(symbol, python) EXPORT(symbol, python, "8>s", (const char *text, void *out), out, text)

EXPORT(nvmlInit, "nvmlInit", ">", (void))
EXPORT(nvmlInit_v2, "nvmlInit", ">", (void))
EXPORT(nvmlInitWithFlags, "nvmlInitWithFlags", ">u", (unsigned flags), (uint64_t)flags)
EXPORT(nvmlShutdown, "nvmlShutdown", ">", (void))

TEXT(nvmlSystemGetDriverVersion, "nvmlSystemGetDriverVersion")
TEXT(nvmlSystemGetNVMLVersion, "nvmlSystemGetNVMLVersion")
EXPORT(nvmlSystemGetCudaDriverVersion, "nvmlSystemGetCudaDriverVersion", "4>", (void *out), out)
EXPORT(nvmlSystemGetCudaDriverVersion_v2, "nvmlSystemGetCudaDriverVersion", "4>", (void *out), out)
EXPORT(nvmlSystemGetProcessName, "nvmlSystemGetProcessName", ">uuu", (unsigned pid, char *text, unsigned length),
       (uint64_t)pid, (uint64_t)text, (uint64_t)length)
EXPORT(nvmlUnitGetCount, "nvmlUnitGetCount", "4>", (void *out), out)

EXPORT(nvmlDeviceGetCount, "nvmlDeviceGetCount", "4>", (void *out), out)
EXPORT(nvmlDeviceGetCount_v2, "nvmlDeviceGetCount", "4>", (void *out), out)
BY_NUMBER(nvmlDeviceGetHandleByIndex)
BY_NUMBER(nvmlDeviceGetHandleByIndex_v2)
BY_TEXT(nvmlDeviceGetHandleByUUID, "nvmlDeviceGetHandleByUUID")
BY_TEXT(nvmlDeviceGetHandleByPciBusId, "nvmlDeviceGetHandleByPciBusId")
BY_TEXT(nvmlDeviceGetHandleByPciBusId_v2, "nvmlDeviceGetHandleByPciBusId")

TEXT_OF_DEVICE(nvmlDeviceGetName, "nvmlDeviceGetName")
TEXT_OF_DEVICE(nvmlDeviceGetUUID, "nvmlDeviceGetUUID")
ONE_OUT(nvmlDeviceGetIndex, "nvmlDeviceGetIndex")
ONE_OUT(nvmlDeviceGetMinorNumber, "nvmlDeviceGetIndex")
ONE_OUT(nvmlDeviceGetBrand, "nvmlDeviceGetBrand")
ONE_OUT(nvmlDeviceGetArchitecture, "nvmlDeviceGetArchitecture")
ONE_OUT(nvmlDeviceGetNumGpuCores, "nvmlDeviceGetNumGpuCores")
ONE_OUT(nvmlDeviceGetComputeMode, "nvmlDeviceGetComputeMode")
ONE_OUT(nvmlDeviceGetPersistenceMode, "nvmlDeviceGetPersistenceMode")
ONE_OUT(nvmlDeviceGetDisplayMode, "nvmlDeviceGetDisplayMode")
ONE_OUT(nvmlDeviceGetDisplayActive, "nvmlDeviceGetDisplayMode")
ONE_OUT(nvmlDeviceGetMultiGpuBoard, "nvmlDeviceGetMultiGpuBoard")
ONE_OUT(nvmlDeviceGetNumaNodeId, "nvmlDeviceGetNumaNodeId")
ONE_OUT(nvmlDeviceIsMigDeviceHandle, "nvmlDeviceIsMigDeviceHandle")
ONE_OUT(nvmlDeviceGetMaxMigDeviceCount, "nvmlDeviceGetMaxMigDeviceCount")
EXPORT(nvmlDeviceGetSupportedEventTypes, "nvmlDeviceGetSupportedEventTypes", "8>u", (void *device, void *out), out,
       (uint64_t)device)
EXPORT(nvmlDeviceGetTotalEnergyConsumption, "nvmlDeviceGetTotalEnergyConsumption", "8>u", (void *device, void *out),
       out, (uint64_t)device)
EXPORT(nvmlDeviceGetAutoBoostedClocksEnabled, "nvmlDeviceGetAutoBoostedClocksEnabled", "44>u",
       (void *device, void *now, void *by_default), now, by_default, (uint64_t)device)
EXPORT(nvmlDeviceGetCudaComputeCapability, "nvmlDeviceGetCudaComputeCapability", "44>u",
       (void *device, void *major, void *minor), major, minor, (uint64_t)device)
CLOCK(nvmlDeviceGetMaxClockInfo, "nvmlDeviceGetMaxClockInfo")
CLOCK(nvmlDeviceGetClockInfo, "nvmlDeviceGetClockInfo")
CLOCK(nvmlDeviceGetMaxCustomerBoostClock, "nvmlDeviceGetMaxCustomerBoostClock")
CLOCK(nvmlDeviceGetTemperature, "nvmlDeviceGetTemperature")
CLOCK(nvmlDeviceGetTemperatureThreshold, "nvmlDeviceGetTemperatureThreshold")
EXPORT(nvmlDeviceGetClock, "nvmlDeviceGetClock", "4>uuu", (void *device, unsigned kind, unsigned which, void *out), out,
       (uint64_t)device, (uint64_t)kind, (uint64_t)which)
EXPORT(nvmlDeviceGetMinMaxClockOfPState, "nvmlDeviceGetMinMaxClockOfPState", "44>uui",
       (void *device, unsigned kind, int pstate, void *low, void *high), low, high, (uint64_t)device, (uint64_t)kind,
       (int64_t)pstate)
OF_TWO(nvmlDeviceOnSameBoard, "nvmlDeviceOnSameBoard")
OF_TWO(nvmlDeviceGetTopologyCommonAncestor, "nvmlDeviceGetTopologyCommonAncestor")
EXPORT(nvmlDeviceGetP2PStatus, "nvmlDeviceGetP2PStatus", "4>uuu",
       (void *device, void *other, unsigned index, void *out), out, (uint64_t)device, (uint64_t)other, (uint64_t)index)
EXPORT(nvmlDeviceGetCpuAffinity, "nvmlDeviceGetCpuAffinity", ">uuu", (void *device, unsigned words, void *set),
       (uint64_t)device, (uint64_t)words, (uint64_t)set)

EXPORT(nvmlDeviceGetCpuAffinityWithinScope, "nvmlDeviceGetCpuAffinityWithinScope", ">uuuu",
       (void *device, unsigned words, void *set, unsigned scope), (uint64_t)device, (uint64_t)words, (uint64_t)set,
       (uint64_t)scope)
EXPORT(nvmlDeviceGetMemoryAffinity, "nvmlDeviceGetMemoryAffinity", ">uuuu",
       (void *device, unsigned words, void *set, unsigned scope), (uint64_t)device, (uint64_t)words, (uint64_t)set,
       (uint64_t)scope)
EXPORT(nvmlDeviceSetCpuAffinity, "nvmlDeviceSetCpuAffinity", ">u", (void *device), (uint64_t)device)
EXPORT(nvmlDeviceClearCpuAffinity, "nvmlDeviceClearCpuAffinity", ">u", (void *device), (uint64_t)device)
EXPORT(nvmlDeviceGetTopologyNearestGpus, "nvmlDeviceGetTopologyNearestGpus", ">uiuu",
       (void *device, int level, void *count, void *devices), (uint64_t)device, (int64_t)level, (uint64_t)count,
       (uint64_t)devices)
EXPORT(nvmlSystemGetTopologyGpuSet, "nvmlSystemGetTopologyGpuSet", ">uuu",
       (unsigned processor, void *count, void *devices), (uint64_t)processor, (uint64_t)count, (uint64_t)devices)

STRUCT_OUT(nvmlDeviceGetMemoryInfo, "nvmlDeviceGetMemoryInfo")
STRUCT_OUT(nvmlDeviceGetBAR1MemoryInfo, "nvmlDeviceGetMemoryInfo")
STRUCT_OUT(nvmlDeviceGetDynamicPstatesInfo, "nvmlDeviceGetDynamicPstatesInfo")
STRUCT_OUT(nvmlDeviceGetAddressingMode, "nvmlDeviceGetAddressingMode")
STRUCT_OUT(nvmlDeviceGetTemperatureV, "nvmlDeviceGetTemperatureV")
STRUCT_OUT(nvmlDeviceGetMarginTemperature, "nvmlDeviceGetMarginTemperature")
STRUCT_OUT(nvmlDeviceGetPciInfoExt, "nvmlDeviceGetPciInfoExt")
EXPORT(nvmlDeviceGetThermalSettings, "nvmlDeviceGetThermalSettings", ">uuu",
       (void *device, unsigned target, void *settings), (uint64_t)device, (uint64_t)target, (uint64_t)settings)
STRUCT_OUT(nvmlDeviceGetMemoryInfo_v2, "nvmlDeviceGetMemoryInfo_v2")
STRUCT_OUT(nvmlDeviceGetUtilizationRates, "nvmlDeviceGetUtilizationRates")
STRUCT_OUT(nvmlDeviceGetPciInfo, "nvmlDeviceGetPciInfo")
STRUCT_OUT(nvmlDeviceGetPciInfo_v2, "nvmlDeviceGetPciInfo")
STRUCT_OUT(nvmlDeviceGetPciInfo_v3, "nvmlDeviceGetPciInfo")

LIST(nvmlDeviceGetComputeRunningProcesses, "nvmlDeviceGetComputeRunningProcesses_v1")
LIST(nvmlDeviceGetComputeRunningProcesses_v2, "nvmlDeviceGetComputeRunningProcesses")
LIST(nvmlDeviceGetComputeRunningProcesses_v3, "nvmlDeviceGetComputeRunningProcesses")
LIST(nvmlDeviceGetGraphicsRunningProcesses, "nvmlDeviceGetGraphicsRunningProcesses")
LIST(nvmlDeviceGetGraphicsRunningProcesses_v2, "nvmlDeviceGetGraphicsRunningProcesses")
LIST(nvmlDeviceGetGraphicsRunningProcesses_v3, "nvmlDeviceGetGraphicsRunningProcesses")

EXPORT(nvmlDeviceGetFieldValues, "nvmlDeviceGetFieldValues", ">uiu", (void *device, int count, void *values),
       (uint64_t)device, (int64_t)count, (uint64_t)values)
EXPORT(nvmlDeviceClearFieldValues, "nvmlDeviceClearFieldValues", ">uiu", (void *device, int count, void *values),
       (uint64_t)device, (int64_t)count, (uint64_t)values)

EXPORT(nvmlEventSetCreate, "nvmlEventSetCreate", "8>", (void *out), out)
EXPORT(nvmlEventSetFree, "nvmlEventSetFree", ">u", (void *set), (uint64_t)set)
EXPORT(nvmlDeviceRegisterEvents, "nvmlDeviceRegisterEvents", ">uuu",
       (void *device, unsigned long long kinds, void *set), (uint64_t)device, (uint64_t)kinds, (uint64_t)set)
EXPORT(nvmlEventSetWait, "nvmlEventSetWait", ">uuu", (void *set, void *data, unsigned milliseconds), (uint64_t)set,
       (uint64_t)data, (uint64_t)milliseconds)
EXPORT(nvmlEventSetWait_v2, "nvmlEventSetWait", ">uuu", (void *set, void *data, unsigned milliseconds), (uint64_t)set,
       (uint64_t)data, (uint64_t)milliseconds)
REQUEST(nvmlSystemEventSetCreate)
REQUEST(nvmlSystemEventSetFree)
REQUEST(nvmlSystemRegisterEvents)
REQUEST(nvmlSystemEventSetWait)

SHELL_EXPORT const char *nvmlErrorString(int status) {
    static const char *const texts[] = {
        "no error", "not initialized: call nvmlInit first", "invalid argument", "not supported by this device",
        "no permission", "already initialized", "not found", "buffer too small", "power cables not attached",
        "driver not loaded", "timeout", "interrupt issue", "library not found", "function not found",
        "corrupted inforom", "device lost", "reset required", "error of the operating system",
        "library and driver are of different versions", "in use", "out of memory", "no data",
        "not supported while ECC is on", "out of resources", "frequency not supported",
        "version of an argument not supported", "deprecated", "not ready", "no device found", "invalid state",
        "kind of reset not supported",
    };
    if (status < 0 || status >= (int)(sizeof texts / sizeof *texts)) return "unknown error";
    return texts[status];
}
