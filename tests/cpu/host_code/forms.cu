// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// C++ forms of the runtime API's functions: variables, kernels and pointers of any type instead of void pointers, and
// the forms that functions had before CUDA 13.
#include "check.h"
#include <cooperative_groups.h>
#include <cstring>

struct Pair {
    int first, second;
};
__device__ int cells[4];
__constant__ Pair pair;

__global__ void sums(int *to) {
    cooperative_groups::this_grid().sync();
    to[blockIdx.x] = cells[blockIdx.x] + pair.second;
}
template <class T> __global__ void fill(T *to, T value) { to[threadIdx.x] = value; }

void check_launches(int *to) {
    void *arguments[] = {&to};
    const char *name;
    OK(cudaFuncGetName(&name, sums));
    IS(std::strstr(name, "sums"));
    OK(cudaLaunchCooperativeKernel((void *)sums, 2, 1, arguments));
    OK(cudaLaunchCooperativeKernel(sums, dim3(2), dim3(1), arguments, 0, 0));
    OK(cudaLaunchKernel((void *)fill<int>, 1, 1, (void *[]){&to, new int(5)}));
    OK(cudaDeviceSynchronize());
    IS(to[0] == 5);
    cudaKernel_t kernel;
    OK(cudaGetKernel(&kernel, fill<int>));
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = 1;
    OK(cudaLaunchKernelEx(&config, kernel, to, 6));
    OK(cudaDeviceSynchronize());
    IS(to[0] == 6);
    int grid, block;
    OK(cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, fill<int>, 0, 0, cudaOccupancyDefault));
    IS(grid > 0 && block > 0);
    auto none = [](int) { return 0; };
    OK(cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(&grid, &block, fill<int>, none, 64, 0));
    IS(block <= 64);
}

void check_graphs(cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphNode_t in, out, again;
    cudaGraphExec_t exec;
    Pair given = {3, 4}, other = {5, 6}, got = {}, copy = {};
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddMemcpyNodeToSymbol(&in, graph, nullptr, 0, pair, &given, sizeof given, 0, cudaMemcpyHostToDevice));
    OK(cudaGraphAddMemcpyNodeFromSymbol(&out, graph, nullptr, 0, &got, pair, sizeof got, 0, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddMemcpyNodeFromSymbol(&again, graph, &out, 1, &copy, pair, sizeof got, 0, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddDependencies(graph, &in, &out, 1));
    size_t count = 0;
    OK(cudaGraphNodeGetDependencies(out, nullptr, &count));
    IS(count == 1);
    OK(cudaGraphNodeGetDependentNodes(in, nullptr, &count));
    IS(count == 1);
    OK(cudaGraphGetEdges(graph, nullptr, nullptr, &count));
    IS(count == 2);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    IS(got.first == 3 && copy.second == 4);
    OK(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, in, pair, &other, sizeof other, 0, cudaMemcpyHostToDevice));
    OK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, again, &copy, pair, 4, 4, cudaMemcpyDeviceToHost));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    IS(got.second == 6 && copy.first == 6);
    OK(cudaGraphMemcpyNodeSetParamsToSymbol(in, pair, &given, sizeof given, 0, cudaMemcpyHostToDevice));
    OK(cudaGraphMemcpyNodeSetParamsFromSymbol(out, &got, pair, sizeof got, 0, cudaMemcpyDeviceToHost));
    cudaGraphExecUpdateResult result = cudaGraphExecUpdateError;
    OK(cudaGraphExecUpdate(exec, graph, nullptr, &result));
    IS(result == cudaGraphExecUpdateSuccess);
    OK(cudaGraphRemoveDependencies(graph, &in, &out, 1));
    OK(cudaGraphGetEdges(graph, nullptr, nullptr, &count));
    IS(count == 1);
    cudaUserObject_t object;
    OK(cudaUserObjectCreate(&object, new Pair{7, 8}, 1, cudaUserObjectNoDestructorSync));
    OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}

void check_memory(float *managed, cudaStream_t stream) {
    int device = 0;
    OK(cudaMemAdvise(managed, 16, cudaMemAdviseSetPreferredLocation, device));
    OK(cudaMemAdvise(managed, 16, cudaMemAdviseSetAccessedBy, cudaCpuDeviceId));
    OK(cudaMemPrefetchAsync(managed, 16, device, stream));
    OK(cudaMemPrefetchAsync(managed, 16, device, NULL));
    OK(cudaMemPrefetchAsync(managed, 16, cudaCpuDeviceId));
    cudaMemLocation location = {cudaMemLocationTypeDevice, device};
    OK(cudaMemPrefetchAsync(managed, 16, location, 0, stream));
    OK(cudaMemPrefetchAsync(managed, 16, {cudaMemLocationTypeDevice}, 0));
    FAILS(cudaErrorInvalidDevice, cudaMemPrefetchAsync(managed, 16, 99, stream));
    OK(cudaStreamAttachMemAsync(stream, managed));
    OK(cudaStreamAttachMemAsync(stream, managed, 0, cudaMemAttachGlobal));
    cudaChannelFormatDesc half4 = cudaCreateChannelDescHalf4();
    IS(half4.x == 16 && half4.w == 16 && half4.f == cudaChannelFormatKindFloat);
    IS(cudaCreateChannelDescHalf1().y == 0 && cudaCreateChannelDescHalf().x == 16);
    IS(cudaCreateChannelDescHalf2().y == 16 && cudaCreateChannelDescHalf2().z == 0);
}

void check_attributes(cudaStream_t stream) {
    cudaStreamAttrID id = cudaStreamAttributePriority;
    cudaKernelNodeAttrID other = cudaKernelNodeAttributeCooperative;
    cudaStreamAttrValue value = {};
    OK(cudaStreamGetAttribute(stream, id, &value));
    IS(value.priority == 0 && other == cudaLaunchAttributeCooperative);
    cudaEvent_t event;
    OK(cudaEventCreate(&event, cudaEventDisableTiming));
    OK(cudaEventDestroy(event));
    void *function;
    cudaDriverEntryPointQueryResult found;
    OK(cudaGetDriverEntryPointByVersion("cuInit", &function, 12000, cudaEnableDefault, &found));
    IS(found == cudaDriverEntryPointSuccess && function);
}

int main() {
    int *to;
    float *managed;
    cudaStream_t stream;
    OK(cudaMallocManaged(&to, 4 * sizeof *to));
    OK(cudaMallocManaged(&managed, 16));
    OK(cudaStreamCreate(&stream));
    check_launches(to);
    check_graphs(stream);
    check_memory(managed, stream);
    check_attributes(stream);
    std::puts("fine");
}
