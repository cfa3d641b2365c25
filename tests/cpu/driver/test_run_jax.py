# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What `cuda.cpu run` gives XLA: an assembler that returns PTX, a cuDNN that has a version, flags."""

import ctypes
import subprocess

import pytest

from cuda.cpu.programs import jax


def test_the_assembler_returns_ptx_with_a_zero(tmp_path):
    script, text, out = tmp_path / "ptxas", tmp_path / "a b.ptx", tmp_path / "a b.cubin"
    script.write_text(jax.PTXAS)
    text.write_bytes(b".version 9.0\n%p %% \\0 text")
    given = ["sh", script, text, "-o", out, "-arch=sm_120a", "--warn-on-spills"]
    subprocess.run(given, check=True)
    assert out.read_bytes() == text.read_bytes() + b"\0"
    found = subprocess.run(["sh", script, "--version"], check=True, capture_output=True, text=True).stdout
    assert "release 13.0, V13.0.88" in found
    assert subprocess.run(["sh", script, tmp_path / "none.ptx", "-o", out], capture_output=True).returncode


def test_the_library_has_a_version_and_a_handle():
    library = ctypes.CDLL(jax.CUDNN)
    handle, parts = ctypes.c_void_p(), []
    assert library.cudnnCreate(ctypes.byref(handle)) == 0
    assert handle.value
    assert library.cudnnSetStream(handle, None) == 0
    for part in range(3):
        value = ctypes.c_int()
        assert library.cudnnGetProperty(part, ctypes.byref(value)) == 0
        parts.append(value.value)
    assert library.cudnnGetVersion() == parts[0] * 10000 + parts[1] * 100 + parts[2]
    assert library.cudnnDestroy(handle) == 0


def test_flags_of_the_program_stay(tmp_path, monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_gpu_autotune_level=4 --xla_dump_to=x")
    jax.add_flags(tmp_path)
    flags = jax.os.environ["XLA_FLAGS"].split()
    assert flags[:2] == ["--xla_gpu_autotune_level=4", "--xla_dump_to=x"]
    assert f"--xla_gpu_cuda_data_dir={tmp_path}" in flags
    assert "--xla_gpu_autotune_level=0" not in flags
    jax.add_flags(tmp_path / "of a child process")
    assert jax.os.environ["XLA_FLAGS"].split() == flags


@pytest.mark.parametrize(("platforms", "wanted"), [("cpu", False), ("tpu,cpu", False), ("", True), ("gpu", True),
                                                   ("cpu,cuda", True)])  # fmt: skip
def test_the_platforms_decide(platforms, wanted, monkeypatch):
    monkeypatch.setenv("JAX_PLATFORMS", platforms)
    monkeypatch.setattr(jax, "PLUGINS", ("json",))
    assert jax.has_plugin() is wanted
    monkeypatch.setattr(jax, "PLUGINS", ("no_such_package.plugin", "no_such_module"))
    assert jax.has_plugin() is False
