# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The package cuda.interop: its modules name what they need, and cuda.core does not import it."""

import subprocess
import sys


def test_without_pytorch_the_error_names_the_extra():
    code = "import sys; sys.modules['torch'] = None\nimport cuda.interop\nimport cuda.interop.torch"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert "ImportError: cuda.interop.torch needs PyTorch" in done.stderr
    assert "open-cuda-python[torch]" in done.stderr


def test_without_thunder_the_error_names_the_extra():
    code = "import sys; sys.modules['thunder'] = None\nimport cuda.interop.thunder"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert "ImportError: cuda.interop.thunder needs Lightning Thunder" in done.stderr
    assert "open-cuda-python[all,thunder]" in done.stderr


def test_without_jax_the_error_names_the_extra():
    code = "import sys; sys.modules['jax'] = None\nimport cuda.interop.jax"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert "ImportError: cuda.interop.jax needs JAX" in done.stderr
    assert "open-cuda-python[jax]" in done.stderr


def test_numpy_needs_no_framework():
    code = "import sys\nfor name in ('torch', 'jax'): sys.modules[name] = None\nimport cuda.interop.numpy"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=100)


def test_the_object_layer_does_not_import_it():
    code = "import sys, cuda.core; cuda.core.Device; print([name for name in sys.modules if 'interop' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.stdout.strip() == "[]", done.stderr
