# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Triton beside PyTorch on the CPU device: `python -m cuda.cpu run --torch`."""

import pytest
from support import programs

PEER = "CUDA_CPU_PEER_TORCH"

pytestmark = [
    pytest.mark.cpu_only,
    pytest.mark.timeout(600),
    programs.needs("torch, triton", "PyTorch and Triton", PEER),
]


def run(program, *options, tmp_path, timeout=400):
    caches = {"TRITON_CACHE_DIR": str(tmp_path / "triton"), "CUDA_CPU_CACHE": str(tmp_path / "cpu")}
    return programs.run(
        program, options=options, variables=caches, interpreter=programs.python(PEER), timeout=timeout
    )  # fmt: skip


def test_ten_programs_of_triton(tmp_path):
    done = run("torch_triton.py", "--torch", tmp_path=tmp_path)
    assert programs.right(done) == [
        "vector_add", "fused_softmax", "matrix_multiplication", "low_memory_dropout", "layer_norm", "fused_attention",
        "libdevice_functions", "grouped_matrices", "benchmark_and_streams", "modules_and_copies",
    ]  # fmt: skip
    assert "on CPU device" in done.stdout


@programs.needs("liger_kernel.ops", "Liger-Kernel", PEER)
def test_ten_operators_of_liger(tmp_path):
    assert programs.right(run("torch_liger.py", "--torch", tmp_path=tmp_path)) == [
        "rms_norm", "layer_norm", "group_norm", "swiglu", "geglu", "softmax", "rope", "cross_entropy",
        "fused_linear_cross_entropy", "kl_divergence",
    ]  # fmt: skip


OVERRUN = """
import torch, triton, triton.language as tl
@triton.jit
def fill(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), 1.0)
fill[(1,)](torch.zeros(100, device="cuda"), N=128)
"""


def test_memcheck_knows_where_tensors_end(tmp_path):
    (tmp_path / "overrun.py").write_text(OVERRUN)
    done = run(tmp_path / "overrun.py", "--torch", "--check=memcheck", tmp_path=tmp_path)
    assert done.returncode == 1
    assert "0 bytes after the allocation of 400 bytes" in done.stderr


TENSORS = """
import copy, pickle, torch
x = torch.arange(6.0, device="cuda").reshape(2, 3)
assert repr(x[0]) == "tensor([0., 1., 2.], device='cuda:0')" and f"{x[1, 2]:.1f}" == "5.0"
assert x.tolist() == [[0, 1, 2], [3, 4, 5]] and x.T.is_cuda and x.get_device() == 0
assert x.to("cuda") is x and x.to("cuda", torch.float16).dtype is torch.float16 and not x.to("cpu").is_cuda
assert x.to(torch.zeros(1, dtype=torch.int32)).device.type == "cpu" and x.to(0, copy=True).data_ptr() != x.data_ptr()
host = x.cpu()
host[0, 0] = 9
assert x[0, 0] == 0 and host.cuda()[0, 0] == 9
y = x
y += 1
assert y is x and x[0, 0] == 1
w = torch.ones(3, requires_grad=True)
(w.cuda() * x).sum().backward()
assert w.grad.tolist() == [5, 7, 9] and w.grad.device.type == "cpu"
(gradient,) = torch.autograd.grad((x.clone().requires_grad_() ** 2).sum(), [w], allow_unused=True)
assert gradient is None
with torch.device("cuda"):
    assert torch.zeros(2).is_cuda
torch.set_default_device("cuda")
assert torch.nn.Linear(2, 2).weight.is_cuda and torch.ones(2).is_cuda and not torch.ones(2, device="cpu").is_cuda
assert copy.deepcopy(x).is_cuda and torch.equal(copy.deepcopy(x), x)
print("tensors is right")
"""


def test_tensors_of_the_device(tmp_path):
    (tmp_path / "tensors.py").write_text(TENSORS)
    assert programs.right(run(tmp_path / "tensors.py", "--torch", tmp_path=tmp_path)) == ["tensors"]


def test_only_with_the_option(tmp_path):
    (tmp_path / "plain.py").write_text("import torch; print(torch.cuda.is_available()); torch.zeros(1, device='cuda')")
    done = run(tmp_path / "plain.py", tmp_path=tmp_path)
    assert (done.returncode, done.stdout) == (1, "False\n")
