// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Graphs: launches that are captured, nodes of kernels and of copies by their addresses in host code, and updates.
#include "check.h"

__device__ int cells[4];
__global__ void add(int *to, int value) { *to += value; }
__global__ void times(int *to, int value) { *to *= value; }

int cell(int which) {
    int got;
    OK(cudaMemcpyFromSymbol(&got, cells, sizeof got, which * sizeof got));
    return got;
}

cudaGraphExec_t made(cudaGraph_t graph) {
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
}

void launch(cudaGraphExec_t exec, cudaStream_t stream) {
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
}

int main() {
    int *first;
    cudaStream_t stream, other;
    cudaEvent_t fork, join;
    OK(cudaGetSymbolAddress((void **)&first, cells));
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamCreate(&other));
    OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));

    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(first, 2);
    OK(cudaEventRecord(fork, stream));
    OK(cudaStreamWaitEvent(other, fork));
    add<<<1, 1, 0, other>>>(first + 1, 5);
    OK(cudaEventRecord(join, other));
    OK(cudaStreamWaitEvent(stream, join));
    times<<<1, 1, 0, stream>>>(first, 3);
    cudaGraph_t graph;
    OK(cudaStreamEndCapture(stream, &graph));
    size_t count;
    OK(cudaGraphGetNodes(graph, nullptr, &count));
    IS(count == 3);
    IS(cell(0) == 0); // nothing has run
    cudaGraphExec_t exec = made(graph);
    launch(exec, stream);
    launch(exec, stream);
    IS(cell(0) == (0 + 2) * 3 * 3 + 6 && cell(1) == 10);

    cudaGraph_t built;
    OK(cudaGraphCreate(&built, 0));
    int value = 7, host[4] = {1, 2, 3, 4}, got[4] = {};
    void *arguments[] = {&first, &value};
    cudaKernelNodeParams params = {};
    params.func = (void *)add;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    cudaGraphNode_t to, kernel, from;
    OK(cudaGraphAddMemcpyNodeToSymbol(&to, built, nullptr, 0, cells, host, sizeof host, 0, cudaMemcpyHostToDevice));
    OK(cudaGraphAddKernelNode(&kernel, built, &to, 1, &params));
    OK(cudaGraphAddMemcpyNodeFromSymbol(&from, built, &kernel, 1, got, cells, 8, 4, cudaMemcpyDeviceToHost));
    cudaGraphExec_t second = made(built);
    launch(second, stream);
    IS(cell(0) == 8 && got[0] == 2 && got[1] == 3);
    cudaKernelNodeParams read;
    OK(cudaGraphKernelNodeGetParams(kernel, &read));
    IS(read.func == (void *)add);
    read.func = (void *)times;
    OK(cudaGraphExecKernelNodeSetParams(second, kernel, &read));
    OK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(second, from, got, cells, 4, 0, cudaMemcpyDeviceToHost));
    launch(second, stream);
    IS(got[0] == 7);
    OK(cudaGraphMemcpyNodeSetParamsToSymbol(to, cells, host, 4, 8, cudaMemcpyHostToDevice));
    cudaGraphExec_t third = made(built);
    launch(third, stream);
    IS(cell(0) == 14 && cell(2) == 1);
    FAILS(cudaErrorInvalidValue, cudaGraphMemcpyNodeSetParamsFromSymbol(from, got, cells, 8, 12, cudaMemcpyDeviceToHost));
    params.func = &value;
    FAILS(cudaErrorInvalidDeviceFunction, cudaGraphAddKernelNode(&kernel, built, nullptr, 0, &params));

    cudaGraphNodeParams any = {};
    any.type = cudaGraphNodeTypeKernel;
    any.kernel.func = (void *)add;
    any.kernel.gridDim = any.kernel.blockDim = dim3(1);
    any.kernel.kernelParams = arguments;
    cudaGraph_t general;
    OK(cudaGraphCreate(&general, 0));
    OK(cudaGraphAddNode(&kernel, general, nullptr, nullptr, 0, &any));
    launch(made(general), stream);
    IS(cell(0) == 21);
    std::puts("fine");
}
