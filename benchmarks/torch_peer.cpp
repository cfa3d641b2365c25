// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// The operator of torch_operators.py as an author writes it in C++: torch.library, and a launch by CUDA's driver API.
#include <ATen/ATen.h>
#include <ATen/ops/empty_like.h>
#include <torch/library.h>

namespace {
using Launch = int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                       void **);
using Synchronize = int (*)(void *);
Launch launch;
Synchronize synchronize;
void *function, *stream;

at::Tensor scale(const at::Tensor &given, double factor)
{
    TORCH_CHECK(given.scalar_type() == at::kFloat, "x must be float32");
    auto x = given.contiguous();
    auto y = at::empty_like(x);
    const void *in = x.const_data_ptr();
    void *out = y.mutable_data_ptr();
    long long count = x.numel();
    void *arguments[] = {&in, &out, &factor, &count};
    TORCH_CHECK(launch(function, (count + 127) / 128, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr) == 0);
    TORCH_CHECK(synchronize(stream) == 0);
    return y;
}

void prepare(int64_t launch_at, int64_t synchronize_at, int64_t kernel, int64_t queue)
{
    launch = reinterpret_cast<Launch>(launch_at);
    synchronize = reinterpret_cast<Synchronize>(synchronize_at);
    function = reinterpret_cast<void *>(kernel);
    stream = reinterpret_cast<void *>(queue);
}
} // namespace

TORCH_LIBRARY(open_cuda_peer, library)
{
    library.def("scale(Tensor x, float factor) -> Tensor");
    library.def("prepare(int launch_at, int synchronize_at, int kernel, int queue) -> ()", &prepare);
}
TORCH_LIBRARY_IMPL(open_cuda_peer, CPU, library) { library.impl("scale", &scale); }
