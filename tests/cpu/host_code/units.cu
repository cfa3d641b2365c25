// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Relocatable device code: static names in two files of the same name, templates in both, virtual functions across them.
#include "units.h"

static __device__ int calls = 10;
namespace {
__device__ int own() { return 1; }
__global__ void count(int *to) { *to = ++calls + own(); }
} // namespace
struct Square : Shape {
    __device__ int corners() const override { return 4; }
};

__global__ void use(int *to) {
    Square square;
    to[0] = next() + next();
    to[1] = named(5);
    to[2] = corners_of(square);
    to[3] = int(weights[1]);
    total = 77;
}

int main() {
    int *cells, got[4];
    OK(cudaMalloc(&cells, sizeof got));
    use<<<1, 1>>>(cells);
    OK(cudaMemcpy(got, cells, sizeof got, cudaMemcpyDeviceToHost));
    IS(got[0] == 101 + 102 && got[1] == 6 && got[2] == 5 && got[3] == 8);
    count<<<1, 1>>>(cells);
    fill<<<1, 2>>>(cells + 1, 21);
    OK(cudaMemcpy(got, cells, sizeof got, cudaMemcpyDeviceToHost));
    IS(got[0] == 12 && got[1] == 42 && got[2] == 42);
    OK(cudaMemcpyFromSymbol(got, total, sizeof total));
    IS(got[0] == 77);
    IS(count_in_other_file() == 103 + 2);
    std::puts("fine");
}
