# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The included benchmarks: each is correct, and the exact counts of ten kernels are those of the committed file.

After an intended change of counts: `python tests/perf/test_perf_suite.py` writes the file; review its difference.
"""

import pathlib
import sys

import pytest

pytest.importorskip("scipy", reason="cuda.perf's statistics need SciPy, of the extra perf")

from cuda.perf import __main__ as command
from cuda.perf import files
from cuda.perf.model import Environment, Status

pytestmark = pytest.mark.needs_nvrtc

BASELINE = pathlib.Path(__file__).with_name("suite_counts.jsonl")
POINTS = [
    "attention[tokens=32,model=gpt2,mask=causal,dtype=float32]",
    "batched_gemm[tokens=64,model=gpt2,dtype=float16]",
    "cross_entropy[tokens=16,model=llama2_7b,dtype=float32]",
    "gemm[tokens=16,model=gpt2,layer=query,dtype=float32]",
    "histogram[count=65536,bins=shared]",
    "layer_norm[tokens=64,model=bert,dtype=float32]",
    "reduction[count=65536]",
    "rms_norm[tokens=64,model=mistral_7b,dtype=float16]",
    "rotary[tokens=64,model=llama2_7b,dtype=float32]",
    "scan[count=65536]",
    "softmax[tokens=64,model=gpt2,dtype=float32]",
    "transpose[n=256,how=padded]",
]


def count(path):
    filters = [argument for point in POINTS for argument in ("--filter", point)]
    return command.main(["run", "suite", "--counters-only", "--quiet", "--force", "--json", str(path), *filters])


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    path = tmp_path_factory.mktemp("suite") / "counts.jsonl"
    code = count(path)
    return code, path


def test_every_benchmark_returns_what_numpy_returns(counted):
    code, path = counted
    run = files.read(path)
    assert code == 0
    assert {each.benchmark for each in run.results} == {point.partition("[")[0] for point in POINTS}
    assert {each.status for each in run.results} == {Status.OK}


def test_the_counts_are_those_of_the_committed_file(counted, capsys):
    compilers = [files.read(path).environment.compiler for path in (BASELINE, counted[1])]
    if compilers[0] != compilers[1]:
        pytest.skip(f"the file has counts of {compilers[0]}; this is {compilers[1]}, which compiles to other PTX")
    code = command.main(["compare", str(BASELINE), str(counted[1]), "--counters-only"])
    assert code == 0, capsys.readouterr().out


@pytest.mark.cpu_only
def test_a_changed_count_is_found(counted, tmp_path, capsys):
    run = files.read(counted[1])
    run.by_key()["scan[count=65536]"].counters.metrics["ptx__inst_executed.sum"] += 1
    files.write(tmp_path / "changed.jsonl", run)
    assert command.main(["compare", str(counted[1]), str(tmp_path / "changed.jsonl"), "--counters-only"]) == 1
    assert "scan[count=65536]: 1 exact counters changed" in capsys.readouterr().out


@pytest.mark.cpu_only
def test_large_shapes_are_skipped_on_the_cpu_device(tmp_path):
    path = tmp_path / "skipped.jsonl"
    arguments = ["--filter", "gemm[tokens=512*llama2_7b,layer=up,dtype=float32", "--counters-only", "--quiet"]
    assert command.main(["run", "cuda.perf.suite.gemm", "--json", str(path), *arguments]) == 0
    (result,) = files.read(path).results
    assert result.status == Status.SKIPPED
    assert result.message.startswith("too large for the CPU device: 4.6e+10 operations")


if __name__ == "__main__":
    if count(BASELINE):
        sys.exit("a benchmark failed")
    run = files.read(BASELINE)
    run.started, run.environment = 0, Environment(compiler=run.environment.compiler)
    run.results.sort(key=lambda each: each.key)
    files.write(BASELINE, run)
