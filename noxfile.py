# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The project's commands, one nox session each, such as `nox -s test`. They use the environment that nox runs in.

Create it with `pip install -e '.[dev]'`. Without nox, type the commands of the session.
"""

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["build", "lint", "type", "test", "docs"]


@nox.session
def gen(session):
    """Write the generated sources and the generator's report."""
    with session.chdir("cuda_bindings"):
        session.run("python", "-m", "codegen", "facts")
        session.run("python", "-m", "codegen", "write")
        session.run("python", "-m", "codegen", "report")


@nox.session
def build(session):
    """Compile everything in place; run the generator first if necessary."""
    session.run("python", "setup.py", "build_ext", "--inplace")


@nox.session
def lint(session):
    """Check the style of Python and Cython sources, and the spelling of documentation and messages."""
    session.run("ruff", "check", ".")
    listed = session.run(
        "git", "ls-files", "*.pyx", "*.pxd", "*.pxi", external=True, silent=True
    )  # without generated files
    session.run("cython-lint", *listed.splitlines())
    read = session.run("git", "ls-files", "*.md", "cuda_core", "examples", external=True, silent=True)
    session.run("codespell", *read.splitlines())


@nox.session
def type(session):
    """Check the types."""
    session.run("mypy")


@nox.session
def test(session):
    """Run the tests: `nox -s test -- --driver=nvidia -k launch`."""
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session(venv_backend="venv")
def installed(session):
    """Run the tests as CI does, with the wheel: it has no headers. `nox -s installed -- tests/cpu`."""
    session.install(".[all,test]")
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session
def instructions(session):
    """Run the tests of the CPU device and record the executed instructions, for the table in the documentation."""
    record = "--record-instructions=docs/instructions_run.txt"
    session.run("python", "-m", "pytest", "-q", "tests/cpu", record, *session.posargs)


@nox.session
def threads(session):
    """Run the tests of threads; the stress test takes as many seconds as given: `nox -s threads -- 600`."""
    seconds, *rest = session.posargs or ["60"]
    environment = {"CUDA_TEST_SECONDS": seconds, "CUDA_CPU_STRESS_ROUNDS": str(max(int(float(seconds)) // 4, 3))}
    tests = ("tests/core/test_core_threads.py", "tests/core/test_core_stress.py", "tests/cpu/driver/test_stress.py")
    session.run("python", "-m", "pytest", "-q", *tests, *rest, env=environment)
    # The native runtime, compiled with ThreadSanitizer and AddressSanitizer.
    session.run("python", "-m", "pytest", "-q", "tests/cpu/runtime/test_sanitizers.py", *rest, env=environment)


@nox.session
def fuzz(session):
    """Feed damaged PTX, cubins, fatbins and Tile IR to their readers: `nox -s fuzz -- 100000 7` (number, seed)."""
    count, seed = (*session.posargs, *("20000", "1")[len(session.posargs) :])[:2]
    environment = {"CUDA_CPU_FUZZ": count, "CUDA_CPU_FUZZ_SEED": seed}
    tests = ("tests/cpu/ptx/test_ptx_fuzz.py", "tests/cpu/ptx/image/test_tile_ir.py")
    session.run("python", "-m", "pytest", "-q", *tests, env=environment)


# Path, SIMD width, level, workers: all pairs of paths and levels, except pairs that produce the same code.
WAYS = [
    ("region", "32", "0", "8"),
    ("region", "32", "3", "2"),
    ("region", "native", "3", "1"),
    ("region", "1", "0", "2"),
    ("fiber", "32", "1", "8"),
    ("fiber", "32", "3", "1"),
]
RANDOM = [
    ("tests/cpu/emit/test_differential.py", {"CUDA_CPU_RANDOM_PROGRAMS": "60"}),
    ("tests/cpu/emit/simt/test_emit_regions.py", {"CUDA_CPU_RANDOM_REGIONS": "400"}),
    ("tests/cpu/programs/test_random_programs.py", {"CUDA_CPU_RANDOM_PROGRAMS": "30", "CUDA_CPU_LEVEL": "3"}),
]


@nox.session
def differential(session):
    """Compare all execution modes of the CPU device, with program tests, checks and random kernels. Takes an hour.

    `nox -s differential -- random` runs only the random kernels. Further arguments go to pytest: `--hypothesis-seed=7`.
    """
    only = session.posargs[:1] == ["random"]
    rest = session.posargs[only:]
    names = ("PATH", "WIDTH", "LEVEL", "WORKERS")
    ways = [{f"CUDA_CPU_{name}": value for name, value in zip(names, way, strict=True)} for way in WAYS]
    for environment in [] if only else [*ways, {"CUDA_CPU_CHECK": "all"}]:
        session.log(" ".join(f"{name}={value}" for name, value in environment.items()))
        session.run("python", "-m", "pytest", "-q", "tests/cpu/programs", "tests/examples", *rest, env=environment)
    for tests, environment in RANDOM:
        session.run("python", "-m", "pytest", "-q", tests, *rest, env=environment)


@nox.session
def faults(session):
    """Plant faults in the compiler and report which ones random kernels find: `nox -s faults -- memory`. 30 minutes."""
    with session.chdir("tests"):
        session.run("python", "-m", "support.fault_hunt", *session.posargs)


@nox.session(venv_backend="venv")
def others(session):
    """Run programs of other packages without PyTorch, which Triton would ask for the GPU."""
    session.install(".[all]", "pytest", "pytest-timeout", "hypothesis", "ml_dtypes", "triton==3.9.0", "taichi==1.7.4")
    session.install(
        "cuda-tile==1.7.0", "nvidia-cuda-tileiras==13.5.*", "numba_cuda_mlir[cu13]==0.6.0", "tinygrad==0.14.0",
        "warp-lang==1.19.0", "jax==0.10.2", "jaxlib==0.10.2", "nvidia-cutlass-dsl==4.8.1",
    )  # fmt: skip
    session.install("--no-deps", "jax-cuda13-plugin==0.10.2", "jax-cuda13-pjrt==0.10.2")  # not NVIDIA's libraries
    environment = {"CUDA_CPU_PEER": f"{session.virtualenv.location}/bin/python"}
    names = ("triton", "triton_alone", "taichi", "cutile", "numba_mlir", "tinygrad", "warp", "jax", "jax_cuda",
             "nvvm_programs", "cute")  # fmt: skip
    tests = [f"tests/interop/test_{name}.py" for name in names]
    session.run("python", "-m", "pytest", *tests, *session.posargs, env=environment)


@nox.session(venv_backend="venv")
def wheels(session):
    """Build and check the wheels of both machines: `nox -s wheels -- --python 3.11 3.14t --machine aarch64`."""
    session.install("-r", "ci/wheels/requirements.txt")
    session.run("python", "-m", "ci.wheels", *session.posargs)


@nox.session(venv_backend="venv")
def aarch64(session):
    """Run an aarch64 wheel, by default the newest, in qemu's emulator: `nox -s aarch64 -- --tests kernels`."""
    session.install("-r", "ci/wheels/requirements.txt")
    session.run("python", "-m", "ci.aarch64", *session.posargs)


@nox.session
def docs(session):
    """Build the documentation, in which warnings are errors, and check the pages."""
    session.run("python", "-m", "sphinx", "-W", "--keep-going", "-b", "html", "docs", "docs/_build/html")
    session.run("python", "docs/check_site.py", "docs/_build/html")


@nox.session
def bench(session):
    """Run the benchmarks, against peers if they can be installed: `nox -s bench -- calls`."""
    session.run("python", "-m", "benchmarks", *session.posargs)
