// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// The device is used before main and after it: by objects of static life and by functions of atexit.
#include "check.h"

__global__ void twice(int *cell) { *cell *= 2; }

struct Holder {
    int *cell;
    Holder() {
        int start = 21;
        OK(cudaMalloc(&cell, sizeof *cell));
        OK(cudaMemcpy(cell, &start, sizeof start, cudaMemcpyHostToDevice));
        twice<<<1, 1>>>(cell);
    }
    int value() const {
        int got;
        OK(cudaMemcpy(&got, cell, sizeof got, cudaMemcpyDeviceToHost));
        return got;
    }
    ~Holder() {
        IS(value() == 84);
        OK(cudaFree(cell));
        std::puts("destroyed");
    }
} holder;

int main() {
    std::atexit([] {
        twice<<<1, 1>>>(holder.cell);
        std::printf("at exit %d\n", holder.value());
    });
    std::printf("main %d\n", holder.value());
}
