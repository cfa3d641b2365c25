# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The steps of CONTRIBUTING.md for another API: cuRAND is generated, compiled and called."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib

import pytest

from codegen import apis, headers, roles, write_cython, write_python, write_stubs
from cuda.bindings import _loader

ROOT = pathlib.Path(__file__).parents[2]
BUILD = """
import sys
from Cython.Build import cythonize
from setuptools import Extension, setup
names = ["cycurand", "curand"]
modules = [Extension(f"cuda.bindings.{name}", [f"cuda/bindings/{name}.pyx"]) for name in names]
sys.argv = ["setup.py", "-q", "build_ext", "--inplace"]
setup(ext_modules=cythonize(modules, include_path=["."], quiet=True, language_level=3))
"""
CALL = """
import array, os
import cuda.bindings
from cuda.bindings import _loader
cuda.bindings.__path__.append(os.path.abspath("cuda/bindings"))
_loader.COMPONENTS["curand"] = ("curand", "nvidia-curand")
from cuda.bindings import curand
print(curand.get_version() // 1000)
generator = curand.create_generator_host(curand.RngType_t.PSEUDO_DEFAULT)
numbers = array.array("f", [2.0]) * 1000
for seed in (7, 7, 8):
    curand.set_pseudo_random_generator_seed(generator, seed)
    curand.set_generator_offset(generator, 0)
    curand.generate_uniform(generator, numbers, 1000)
    print(0 < min(numbers) < 0.1 and 0.9 < max(numbers) <= 1, round(sum(numbers), 3))
try:
    curand.generate_uniform(generator, array.array("f", [0.0]), 2)
except ValueError as error:
    print(error)
curand.destroy_generator(generator)
try:
    curand.set_quasi_random_generator_dimensions(curand.create_generator_host(100), 0)
except curand.curandError as error:
    print(error, error.status)
"""


def blocks(language):
    text = (ROOT / "CONTRIBUTING.md").read_text().partition("## Add an API to cuda.bindings")[2].partition("\n## ")[0]
    return [textwrap.dedent(block) for block in re.findall(rf" *```{language}\n(.*?) *```", text, re.DOTALL)]


@pytest.mark.skipif(
    not any((folder / "curand.h").exists() for folder in apis.include_path()), reason="nvidia-curand is not installed"
)
def test_curand(tmp_path, monkeypatch):
    (row,) = (eval(block.strip(), vars(apis).copy()) for block in blocks("python"))
    (overrides,) = map(tomllib.loads, blocks("toml"))
    monkeypatch.setitem(apis.APIS, row.name, row)
    monkeypatch.setitem(roles.table(), row.name, overrides[row.name])
    library = roles.assign(headers.read(row))
    assert len(library.functions) == 29

    package = tmp_path / "cuda/bindings"
    package.mkdir(parents=True)
    for path in pathlib.Path(_loader.__file__).parent.glob("_*.pxd"):
        shutil.copy(path, package)
    (package / "__init__.pxd").touch()
    for writer in (write_cython, write_python, write_stubs):
        for path, text in writer.files({row.name: library}).items():
            (package / pathlib.Path(path).name).write_text(text)
    stub = (package / "curand.pyi").read_text()
    assert "def generate_uniform(generator: " in stub
    assert "lambda_: float" in stub

    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "CFLAGS": "-O0", "CUDA_PYTHON_DRIVER": "cpu"}
    for code, timeout in ((BUILD, 110), (CALL, 60)):
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=timeout)
        assert done.returncode == 0, done.stderr[-3000:]
    lines = done.stdout.splitlines()
    assert int(lines[0]) >= 10
    assert lines[1] == lines[2] != lines[3]
    assert lines[1].startswith("True")
    assert lines[4] == "generate_uniform: output_ptr has 4 bytes, but 8 are needed"
    assert re.fullmatch(r"\w+ \(\d+\) \d+", lines[5])
