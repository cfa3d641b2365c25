// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Further C++ forms of the runtime API's functions for host code: of graphs, libraries and attributes, and the forms
// that functions had before CUDA 13, which many programs call. CUDA Runtime API reference, "C++ API Routines".
#pragma once

inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags) {
    return cudaEventCreateWithFlags(event, flags);
}
template <class T> cudaError_t cudaFuncGetName(const char **name, T *kernel) {
    return cudaFuncGetName(name, (const void *)kernel);
}
template <class T> cudaError_t cudaLibraryGetGlobal(T **found, size_t *size, cudaLibrary_t library, const char *name) {
    return cudaLibraryGetGlobal((void **)(void *)found, size, library, name);
}
template <class T> cudaError_t cudaLibraryGetManaged(T **found, size_t *size, cudaLibrary_t library, const char *name) {
    return cudaLibraryGetManaged((void **)(void *)found, size, library, name);
}
template <class T> cudaError_t cudaLibraryGetUnifiedFunction(T **found, cudaLibrary_t library, const char *name) {
    return cudaLibraryGetUnifiedFunction((void **)(void *)found, library, name);
}
template <class T>
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *memory, size_t length = 0,
                                     unsigned flags = cudaMemAttachSingle) {
    return cudaStreamAttachMemAsync(stream, (void *)memory, length, flags);
}
template <class T>
cudaError_t cudaUserObjectCreate(cudaUserObject_t *made, T *object, unsigned references, unsigned flags) {
    return cudaUserObjectCreate(made, object, [](void *given) { delete static_cast<T *>(given); }, references, flags);
}
template <class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, cudaKernel_t kernel, A... arguments) {
    void *addresses[] = {(void *)&arguments..., nullptr};
    return cudaLaunchKernelExC(config, (const void *)kernel, addresses);
}

inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
    return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return cudaCreateChannelDescHalf(); }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
    return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
    return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}

template <class T, class F>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *grid, int *block, T kernel, F shared_of,
                                                                    int limit = 0, unsigned = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, shared_of, limit);
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, T kernel, size_t shared = 0,
                                                        int limit = 0, unsigned = 0) {
    return cudaOccupancyMaxPotentialBlockSize(grid, block, kernel, shared, limit);
}

// Nodes that copy from and to variables.
template <class T>
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                           size_t count, const T &symbol, const void *from, size_t size, size_t offset,
                                           cudaMemcpyKind kind) {
    return cudaGraphAddMemcpyNodeToSymbol(node, graph, after, count, (const void *)&symbol, from, size, offset, kind);
}
template <class T>
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                             size_t count, void *to, const T &symbol, size_t size, size_t offset,
                                             cudaMemcpyKind kind) {
    return cudaGraphAddMemcpyNodeFromSymbol(node, graph, after, count, to, (const void *)&symbol, size, offset, kind);
}
template <class T>
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T &symbol, const void *from, size_t size,
                                                 size_t offset, cudaMemcpyKind kind) {
    return cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol, from, size, offset, kind);
}
template <class T>
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to, const T &symbol, size_t size,
                                                   size_t offset, cudaMemcpyKind kind) {
    return cudaGraphMemcpyNodeSetParamsFromSymbol(node, to, (const void *)&symbol, size, offset, kind);
}
template <class T>
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const T &symbol,
                                                     const void *from, size_t size, size_t offset,
                                                     cudaMemcpyKind kind) {
    return cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, node, (const void *)&symbol, from, size, offset, kind);
}
template <class T>
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                                       const T &symbol, size_t size, size_t offset,
                                                       cudaMemcpyKind kind) {
    return cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, to, (const void *)&symbol, size, offset, kind);
}

// The forms before CUDA 13: a device by its number, edges without data. Only an int is a device: `{type}` is a location.
template <class T> struct __open_cuda_device;
template <> struct __open_cuda_device<int> {
    using status = cudaError_t;
    static cudaMemLocation location(int device) {
        if (device == cudaCpuDeviceId) return {cudaMemLocationTypeHost, 0};
        return {cudaMemLocationTypeDevice, device};
    }
};
template <class D>
typename __open_cuda_device<D>::status cudaMemPrefetchAsync(const void *memory, size_t size, D device,
                                                            cudaStream_t stream = 0) {
    return cudaMemPrefetchAsync(memory, size, __open_cuda_device<D>::location(device), 0, stream);
}
template <class D>
typename __open_cuda_device<D>::status cudaMemAdvise(const void *memory, size_t size, cudaMemoryAdvise advice,
                                                     D device) {
    return cudaMemAdvise(memory, size, advice, __open_cuda_device<D>::location(device));
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                            size_t count) {
    return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to, size_t count) {
    return cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count) {
    return cudaGraphGetEdges(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *found, size_t *count) {
    return cudaGraphNodeGetDependencies(node, found, nullptr, count);
}
inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *found, size_t *count) {
    return cudaGraphNodeGetDependentNodes(node, found, nullptr, count);
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *wrong,
                                       cudaGraphExecUpdateResult *result) {
    cudaGraphExecUpdateResultInfo found = {};
    cudaError_t status = cudaGraphExecUpdate(exec, graph, &found);
    if (wrong) *wrong = found.errorNode;
    if (result) *result = found.result;
    return status;
}
