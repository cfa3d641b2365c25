# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""JAX's CUDA build on the CPU device: XLA compiles, without NVIDIA's libraries. See cuda.cpu.programs.jax."""

import pytest
from support import programs

pytestmark = [pytest.mark.cpu_only, pytest.mark.timeout(900), programs.needs("jax_plugins.xla_cuda13", "JAX for CUDA")]


def test_eleven_programs():
    done = programs.run("jax_cuda.py", timeout=800)
    assert programs.right(done) == [
        "elementwise", "reductions", "products", "gradients", "vmap", "loops", "random_numbers", "sorting", "indexing",
        "training", "pallas",
    ]  # fmt: skip
    assert "on CPU device" in done.stdout
    assert "stream not idle" not in done.stderr


MISSING = """
import jax, jax.numpy as jnp
try:
    jnp.fft.fft(jnp.arange(4.0)).block_until_ready()
except jax.errors.JaxRuntimeError as error:
    assert "cuFFT" in str(error), error
x = jnp.arange(3.0) + 1  # goes on
assert x.tolist() == [1, 2, 3]
print("missing is right")
"""


def test_what_needs_other_libraries_raises(tmp_path):
    (tmp_path / "missing.py").write_text(MISSING)
    assert programs.right(programs.run(tmp_path / "missing.py")) == ["missing"]


def test_the_cpu_backend_needs_nothing(tmp_path):
    (tmp_path / "cpu.py").write_text("import jax; assert jax.devices()[0].platform == 'cpu'; print('cpu is right')")
    assert programs.right(programs.run(tmp_path / "cpu.py", variables={"JAX_PLATFORMS": "cpu"})) == ["cpu"]
