# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import dataclasses
import subprocess
import sys

from cuda.perf.model import Environment, Result, Samples, key_of


def test_keys_name_the_point():
    assert key_of("gemm", {}) == "gemm"
    assert Result("gemm", {"m": 128, "type": "f32"}).key == "gemm[m=128,type=f32]"


def test_seconds_are_in_the_order_of_the_blocks():
    blocks = [Samples(0, 2, 0.0, 1, [3.0]), Samples(0, 0, 0.0, 1, [1.0, 2.0]), Samples(0, 1, 0.0, 1, [9.0], side="new")]
    result = Result("a", samples=blocks)
    assert result.seconds() == [1.0, 2.0, 3.0]
    assert result.seconds("new") == [9.0]


def test_the_machine_is_identified_by_device_and_processor():
    environment = Environment(device="NVIDIA H100", processor="EPYC", cores=16, host="a", python="3.11")
    assert environment.machine_id == dataclasses.replace(environment, host="b", python="3.12").machine_id
    assert environment.machine_id != dataclasses.replace(environment, device="NVIDIA H200").machine_id


def test_the_model_needs_no_packages():
    """Workers run in environments of other checkouts, which may lack the extra."""
    program = (
        "import sys; import cuda.perf.files; print([m for m in sys.modules if m.split('.')[0] in ('numpy', 'scipy')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
