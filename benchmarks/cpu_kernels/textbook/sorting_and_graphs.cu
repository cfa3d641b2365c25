// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
//
// Textbook kernels that sort, select, and follow edges.
#define KERNEL extern "C" __global__ void
#define EACH 8
#define FAR 1000000000

// A merge of two sorted arrays: a thread finds its 8 results by a binary search of a diagonal.
KERNEL merge_path(const int *__restrict__ a, int size_a, const int *__restrict__ b, int size_b, int *__restrict__ to)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
    if (first >= size_a + size_b)
        return;
    int low = max(0, first - size_b), high = min(first, size_a);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (a[middle] <= b[first - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    int i = low, j = first - low;
    for (int k = 0; k < EACH && first + k < size_a + size_b; k++)
        to[first + k] = (j >= size_b || (i < size_a && a[i] <= b[j])) ? a[i++] : b[j++];
}

// A warp per row: each lane keeps its 8 best in registers, then the best of all lanes is taken 8 times.
KERNEL topk(const float *__restrict__ x, float *__restrict__ values, int *__restrict__ indices, int rows, int columns)
{
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float best[EACH];
    int at[EACH];
    #pragma unroll
    for (int k = 0; k < EACH; k++) {
        best[k] = -3.4e38f;
        at[k] = -1;
    }
    for (int i = lane; i < columns; i += 32) {
        float value = x[(size_t)row * columns + i];
        int index = i;
        if (value > best[EACH - 1]) {
            #pragma unroll
            for (int k = 0; k < EACH; k++)
                if (value > best[k]) {
                    const float less = best[k];
                    best[k] = value;
                    value = less;
                    const int other = at[k];
                    at[k] = index;
                    index = other;
                }
        }
    }
    for (int round = 0; round < EACH; round++) {
        float most = best[0];
        int who = lane;
        for (int distance = 16; distance; distance >>= 1) {
            const float other = __shfl_xor_sync(~0u, most, distance);
            const int whose = __shfl_xor_sync(~0u, who, distance);
            if (other > most || (other == most && whose < who)) {
                most = other;
                who = whose;
            }
        }
        const int index = __shfl_sync(~0u, at[0], who);
        if (lane == 0) {
            values[row * EACH + round] = most;
            indices[row * EACH + round] = index;
        }
        if (lane == who) {
            #pragma unroll
            for (int k = 0; k < EACH - 1; k++) {
                best[k] = best[k + 1];
                at[k] = at[k + 1];
            }
            best[EACH - 1] = -3.4e38f;
        }
    }
}

KERNEL bellman_ford_start(int *distances, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        distances[i] = i ? FAR : 0;
}

KERNEL bellman_ford_relax(const int *__restrict__ sources, const int *__restrict__ targets,
                          const int *__restrict__ lengths, int *distances, int edges)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    int distance = distances[sources[e]];
    if (distance < FAR) {
        distance += lengths[e];
        if (distance < distances[targets[e]])
            atomicMin(&distances[targets[e]], distance);
    }
}

// Connected components: trees are hooked by atomicCAS, paths are halved on the way, and flattened in the end.
__device__ int find(int v, int *parents)
{
    int current = parents[v];
    if (current != v) {
        int next, previous = v;
        while (current > (next = parents[current])) {
            parents[previous] = next;
            previous = current;
            current = next;
        }
    }
    return current;
}

KERNEL components_start(int *parents, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        parents[i] = i;
}

KERNEL components_hook(const int *__restrict__ sources, const int *__restrict__ targets, int *parents, int edges)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    int u = find(sources[e], parents), v = find(targets[e], parents);
    while (u != v) {
        if (u < v) {
            const int t = u;
            u = v;
            v = t;
        }
        const int old = atomicCAS(&parents[u], u, v);
        if (old == u)
            break;
        u = find(old, parents);
        v = find(v, parents);
    }
}

KERNEL components_flatten(int *parents, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int parent = parents[i];
    while (parent != parents[parent])
        parent = parents[parent];
    parents[i] = parent;
}

KERNEL triangles_clear(unsigned long long *total)
{
    *total = 0;
}

// A thread per edge intersects the sorted lists of its nodes.
KERNEL triangles(const int *__restrict__ starts, const int *__restrict__ targets, const int *__restrict__ sources,
                 int edges, unsigned long long *total)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    int count = 0;
    if (e < edges) {
        const int u = sources[e], v = targets[e], a_end = starts[u + 1], b_end = starts[v + 1];
        int a = starts[u], b = starts[v];
        while (a < a_end && b < b_end) {
            const int x = targets[a], y = targets[b];
            if (x == y) {
                count++;
                a++;
                b++;
            } else if (x < y)
                a++;
            else
                b++;
        }
    }
    for (int distance = 16; distance; distance >>= 1)
        count += __shfl_down_sync(~0u, count, distance);
    if ((threadIdx.x & 31) == 0 && count)
        atomicAdd(total, (unsigned long long)count);
}
