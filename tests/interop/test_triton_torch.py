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


CUTILE = """
import torch, cuda.tile as ct
@ct.kernel
def scale(x, out, TILE: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(x, (i,), (TILE,)) * 2)
for kind in (torch.float32, torch.bfloat16, torch.int64):
    x = torch.arange(1000, device="cuda").to(kind)
    out = torch.empty_like(x)
    ct.launch(torch.cuda.current_stream(), (ct.cdiv(1000, 128),), scale, (x, out, 128))
    assert torch.equal(out, x * 2), kind
try:
    ct.launch(torch.cuda.current_stream(), (1,), scale, (torch.zeros(8), out, 8))
except ValueError:
    print("cutile is right")
"""


@programs.needs("cuda.tile", "cuTile", PEER)
def test_cutile_gets_tensors_of_the_device(tmp_path):
    (tmp_path / "cutile.py").write_text(CUTILE)
    done = run(tmp_path / "cutile.py", "--torch", "--capability", "8.9", tmp_path=tmp_path)
    assert programs.right(done) == ["cutile"]


PRECISION = """
import ctypes, torch
from torch.nn.attention import SDPBackend, sdpa_kernel
torch.manual_seed(1)
assert torch.cuda.current_device() == 0
version = ctypes.c_int()
assert ctypes.CDLL("libcuda.so.1").cuCtxGetDevice(ctypes.byref(version)) == 0  # current_device() initialised the driver
x, dy = (torch.randn(1151, 512, device="cuda").half() for _ in range(2))
weight, bias = (torch.rand(512, device="cuda").half().requires_grad_() for _ in range(2))
torch.nn.functional.layer_norm(x, (512,), weight, bias).backward(dy)
exact = dy.double().sum(0)
assert bias.grad.dtype is torch.float16 and bias.grad.is_cuda
torch.testing.assert_close(bias.grad.double(), exact, atol=1e-3, rtol=1e-3)
x = (x.bfloat16() * 0.5 - 2.3).requires_grad_()
weight = weight.detach().bfloat16().requires_grad_()
torch.nn.functional.layer_norm(x, (512,), weight, bias.detach().bfloat16()).backward(dy.bfloat16())
rows = x.detach().double()
rows = (rows - rows.mean(1, True)) * (rows.var(1, unbiased=False, keepdim=True) + 1e-5).rsqrt()
exact = (dy.bfloat16().double() * rows).sum(0)
torch.testing.assert_close(weight.grad.double(), exact, atol=1e-2, rtol=1e-2)
x = x.detach().half()
a, b = x[:512], dy[:512].T
assert torch.equal(a @ b, (a.double() @ b.double()).half())
q, k, v = (torch.randn(1, 2, 64, 32, device="cuda").half() for _ in range(3))
with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v)
assert out.dtype is torch.float16 and out.is_cuda
scores = torch.softmax(q.double() @ k.double().transpose(-1, -2) / 32**0.5, -1)
torch.testing.assert_close(out.double(), scores @ v.double(), atol=1e-3, rtol=1e-3)
stream = torch.cuda.Stream()
torch.cuda.set_stream(stream)
assert torch.cuda.current_stream() == stream != torch.cuda.default_stream()
print("precision is right")
"""


def test_sums_of_16_bit_floats_are_as_precise_as_on_a_gpu(tmp_path):
    (tmp_path / "precise.py").write_text(PRECISION)
    assert programs.right(run(tmp_path / "precise.py", "--torch", tmp_path=tmp_path)) == ["precision"]


DLPACK = """
import ctypes, torch
x = torch.ones(3, device="cuda")
assert x.__dlpack_device__() == (2, 0)
name = ctypes.pythonapi.PyCapsule_GetName
name.restype, name.argtypes = ctypes.c_char_p, (ctypes.py_object,)
start = ctypes.pythonapi.PyCapsule_GetPointer
start.restype, start.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
for tensor, device in ((x, (2, 0)), (x.cpu(), (1, 0))):
    for version, offset in ((None, 8), ((1, 1), 40)):
        capsule = tensor.__dlpack__(max_version=version)
        base = start(capsule, name(capsule))
        assert tuple((ctypes.c_int32 * 2).from_address(base + offset)) == device
        assert ctypes.c_int64.from_address(base + offset - 8).value == tensor.data_ptr()
print("dlpack is right")
"""


def test_dlpack_names_the_device(tmp_path):
    (tmp_path / "exported.py").write_text(DLPACK)
    assert programs.right(run(tmp_path / "exported.py", "--torch", tmp_path=tmp_path)) == ["dlpack"]


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


GRAPHS = """
import copy, torch, triton, triton.language as tl
@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n) + tl.load(y + at, at < n), at < n)
def plus(x, y):
    out = torch.empty_like(x)
    add[(triton.cdiv(x.numel(), 128),)](x, y, out, x.numel(), BLOCK=128)
    return out
x = torch.ones(1000, device="cuda")
counter = torch.zeros(3, device="cuda")
plus(x, x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    assert torch.cuda.is_current_stream_capturing()
    counter += 1
    twice = plus(x, x)
    square = twice * twice
    result = plus(square, torch.ones_like(x)).view(10, 100)
    fresh = torch.full((2,), 7.0, device="cuda")
    with torch.cuda.stream(torch.cuda.Stream()):
        last = plus(fresh, fresh)
assert not torch.cuda.is_current_stream_capturing() and counter.tolist() == [0, 0, 0]
for value in (1, 3):
    x.fill_(value)
    fresh.zero_()
    graph.replay()
    assert result.tolist() == [[(2.0 * value) ** 2 + 1] * 100] * 10
    assert last.tolist() == [14, 14]
assert counter.tolist() == [2, 2, 2]
for refused in (lambda: counter.sum().item(), lambda: counter.cpu(), lambda: counter.nonzero(), torch.cuda.synchronize):
    other = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(other):
            refused()
    except RuntimeError as error:
        assert "not permitted when stream is capturing" in str(error), error
    else:
        raise AssertionError(refused)
layers = torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.ReLU(), torch.nn.Linear(8, 1)
model = torch.nn.Sequential(*layers).cuda()
plain = copy.deepcopy(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data, target = torch.randn(16, 4, device="cuda"), torch.randn(16, 1, device="cuda")
def step(model):
    loss = torch.nn.functional.mse_loss(model(data), target)
    loss.backward()
    return loss
graph = torch.cuda.CUDAGraph()
optimizer.zero_grad(set_to_none=True)
with torch.cuda.graph(graph):
    loss = step(model)
    optimizer.step()
other = torch.optim.SGD(plain.parameters(), lr=0.1)
for _ in range(3):
    data.normal_()
    graph.replay()
    other.zero_grad()
    expected = step(plain)
    other.step()
    torch.testing.assert_close(loss, expected)
for ours, theirs in zip(model.state_dict().values(), plain.state_dict().values()):
    torch.testing.assert_close(ours, theirs)
graphed = torch.cuda.make_graphed_callables(torch.nn.Linear(4, 4).cuda(), (torch.randn(2, 4, device="cuda"),))
y = graphed(torch.ones(2, 4, device="cuda"))
y.sum().backward()
assert graphed.weight.grad.tolist() == [[2.0] * 4] * 4
graph.reset()
try:
    graph.replay()
except RuntimeError:
    pass
else:
    raise AssertionError
milliseconds = triton.testing.do_bench_cudagraph(lambda: plus(x, x), rep=5)
assert milliseconds > 0
print("graphs is right")
"""


def test_cuda_graphs_of_kernels_and_operations(tmp_path):
    (tmp_path / "graphs.py").write_text(GRAPHS)
    assert programs.right(run(tmp_path / "graphs.py", "--torch", tmp_path=tmp_path)) == ["graphs"]


def test_only_with_the_option(tmp_path):
    (tmp_path / "plain.py").write_text("import torch; print(torch.cuda.is_available()); torch.zeros(1, device='cuda')")
    done = run(tmp_path / "plain.py", tmp_path=tmp_path)
    assert (done.returncode, done.stdout) == (1, "False\n")
