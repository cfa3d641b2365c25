/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0
   cuDLA, NVIDIA's deep learning accelerator API. No package on PyPI has its header, so it is declared here, from the
   public reference (https://docs.nvidia.com/cuda/cudla-api/): names, values and types of arguments and fields. Sizes
   and offsets are those of the structured dtypes that NVIDIA's CUDA Python shows (tests/bindings/test_cudla.py).
   Pointers that the reference declares as uint64_t or uint8_t pointers and that only hold an address are void pointers. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#define CUDLA_H_

typedef struct cudlaDevHandle_t *cudlaDevHandle;
typedef struct cudlaModule_t *cudlaModule;

typedef enum cudlaStatus {
    cudlaSuccess = 0,
    cudlaErrorInvalidParam = 1,
    cudlaErrorOutOfResources = 2,
    cudlaErrorCreationFailed = 3,
    cudlaErrorInvalidAddress = 4,
    cudlaErrorOs = 5,
    cudlaErrorCuda = 6,
    cudlaErrorUmd = 7,
    cudlaErrorInvalidDevice = 8,
    cudlaErrorInvalidAttribute = 9,
    cudlaErrorIncompatibleDlaSWVersion = 10,
    cudlaErrorMemoryRegistered = 11,
    cudlaErrorInvalidModule = 12,
    cudlaErrorUnsupportedOperation = 13,
    cudlaErrorNvSci = 14,
    cudlaErrorDriverNotFound = 15,
    cudlaErrorDlaErrInvalidInput = 0x40000001,
    cudlaErrorDlaErrInvalidPreAction = 0x40000002,
    cudlaErrorDlaErrNoMem = 0x40000003,
    cudlaErrorDlaErrProcessorBusy = 0x40000004,
    cudlaErrorDlaErrTaskStatusMismatch = 0x40000005,
    cudlaErrorDlaErrEngineTimeout = 0x40000006,
    cudlaErrorDlaErrDataMismatch = 0x40000007,
    cudlaErrorUnknown = 0x7fffffff
} cudlaStatus;

typedef enum cudlaMode { CUDLA_CUDA_DLA = 0, CUDLA_STANDALONE = 1 } cudlaMode;

typedef enum cudlaDevAttributeType { CUDLA_UNIFIED_ADDRESSING = 0, CUDLA_DEVICE_VERSION = 1 } cudlaDevAttributeType;

typedef enum cudlaFenceType { CUDLA_NVSCISYNC_FENCE = 1, CUDLA_NVSCISYNC_FENCE_SOF = 2 } cudlaFenceType;

typedef enum cudlaModuleAttributeType {
    CUDLA_NUM_INPUT_TENSORS = 0,
    CUDLA_NUM_OUTPUT_TENSORS = 1,
    CUDLA_INPUT_TENSOR_DESCRIPTORS = 2,
    CUDLA_OUTPUT_TENSOR_DESCRIPTORS = 3,
    CUDLA_NUM_OUTPUT_TASK_STATISTICS = 4,
    CUDLA_OUTPUT_TASK_STATISTICS_DESCRIPTORS = 5
} cudlaModuleAttributeType;

typedef enum cudlaAccessPermissionFlags {
    CUDLA_READ_WRITE_PERM = 0,
    CUDLA_READ_ONLY_PERM = 1,
    CUDLA_TASK_STATISTICS = 2
} cudlaAccessPermissionFlags;

typedef enum cudlaModuleLoadFlags {
    CUDLA_MODULE_DEFAULT = 0,
    CUDLA_MODULE_ENABLE_FAULT_DIAGNOSTICS = 1
} cudlaModuleLoadFlags;

typedef enum cudlaSubmissionFlags {
    CUDLA_SUBMIT_NOOP = 1,
    CUDLA_SUBMIT_SKIP_LOCK_ACQUIRE = 2,
    CUDLA_SUBMIT_DIAGNOSTICS_TASK = 4
} cudlaSubmissionFlags;

typedef enum cudlaScratchMemoryConfig {
    CUDLA_SCRATCH_MEMORY_DEFAULT = 0,
    CUDLA_SCRATCH_MEMORY_SHARED_STATIC = 2,
    CUDLA_SCRATCH_MEMORY_CONFIG_MAX = 0x7fffffff
} cudlaScratchMemoryConfig;

typedef struct cudlaExternalMemoryHandleDesc_t {
    const void *extBufObject;
    unsigned long long size;
} cudlaExternalMemoryHandleDesc;

typedef struct cudlaExternalSemaphoreHandleDesc_t {
    const void *extSyncObject;
} cudlaExternalSemaphoreHandleDesc;

typedef struct cudlaModuleTensorDescriptor_t {
    char name[81];
    uint64_t size;
    uint64_t n;
    uint64_t c;
    uint64_t h;
    uint64_t w;
    uint8_t dataFormat;
    uint8_t dataType;
    uint8_t dataCategory;
    uint8_t pixelFormat;
    uint8_t pixelMapping;
    uint32_t stride[8];
} cudlaModuleTensorDescriptor;

typedef struct CudlaFence_t {
    void *fence;
    cudlaFenceType type;
} CudlaFence;

typedef union cudlaDevAttribute_t {
    uint8_t unifiedAddressingSupported;
    uint32_t deviceVersion;
} cudlaDevAttribute;

typedef union cudlaModuleAttribute_t {
    uint32_t numInputTensors;
    uint32_t numOutputTensors;
    cudlaModuleTensorDescriptor *inputTensorDesc;
    cudlaModuleTensorDescriptor *outputTensorDesc;
} cudlaModuleAttribute;

typedef struct cudlaWaitEvents_t {
    const CudlaFence *preFences;
    uint32_t numEvents;
} cudlaWaitEvents;

typedef struct cudlaSignalEvents_t {
    void **devPtrs;
    CudlaFence *eofFences;
    uint32_t numEvents;
} cudlaSignalEvents;

typedef struct cudlaTask_t {
    cudlaModule moduleHandle;
    void *const *outputTensor;
    uint32_t numOutputTensors;
    uint32_t numInputTensors;
    void *const *inputTensor;
    const cudlaWaitEvents *waitEvents;
    cudlaSignalEvents *signalEvents;
} cudlaTask;

cudlaStatus cudlaGetVersion(uint64_t *version);
cudlaStatus cudlaDeviceGetCount(uint64_t *pNumDevices);
cudlaStatus cudlaCreateDevice(uint64_t device, cudlaDevHandle *devHandle, uint32_t flags);
cudlaStatus cudlaMemRegister(cudlaDevHandle devHandle, const void *ptr, size_t size, void **devPtr, uint32_t flags);
cudlaStatus cudlaModuleLoadFromMemory(
    cudlaDevHandle devHandle, const void *pModule, size_t moduleSize, cudlaModule *hModule, uint32_t flags);
cudlaStatus cudlaModuleGetAttributes(
    cudlaModule hModule, cudlaModuleAttributeType attrType, cudlaModuleAttribute *attribute);
cudlaStatus cudlaModuleUnload(cudlaModule hModule, uint32_t flags);
cudlaStatus cudlaSubmitTask(
    cudlaDevHandle devHandle, const cudlaTask *ptrToTasks, uint32_t numTasks, void *stream, uint32_t flags);
cudlaStatus cudlaDeviceGetAttribute(
    cudlaDevHandle devHandle, cudlaDevAttributeType attrib, cudlaDevAttribute *pAttribute);
cudlaStatus cudlaMemUnregister(cudlaDevHandle devHandle, const void *devPtr);
/* The status is the result and no failure of the call. */
int32_t cudlaGetLastError(cudlaDevHandle devHandle);
cudlaStatus cudlaDestroyDevice(cudlaDevHandle devHandle);
cudlaStatus cudlaSetTaskTimeoutInMs(cudlaDevHandle devHandle, uint32_t timeout);
