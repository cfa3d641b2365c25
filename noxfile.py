# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The chores, one command each, the same for a person and for CI: `nox -s test`. They use the environment nox runs in.

Set one up with `pip install -e '.[dev]'`; CI and users without nox can type the commands as they stand here.
"""

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["build", "lint", "type", "test", "docs"]


@nox.session
def gen(session):
    """Write the generated sources and the coverage report."""
    with session.chdir("cuda_bindings"):
        session.run("python", "-m", "codegen", "write")
        session.run("python", "-m", "codegen", "report")


@nox.session
def build(session):
    """Compile everything in place; generates first where needed."""
    session.run("python", "setup.py", "build_ext", "--inplace")


@nox.session
def lint(session):
    """Check the form of Python and Cython sources, and the spelling of what users read."""
    session.run("ruff", "check", ".")
    listed = session.run("git", "ls-files", "*.pyx", "*.pxd", external=True, silent=True)  # the generated ones are not
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


@nox.session
def instructions(session):
    """Run the tests of the CPU device and record which instructions they run, for the table in the documentation."""
    record = "--record-instructions=docs/instructions_run.txt"
    session.run("python", "-m", "pytest", "-q", "tests/cpu", record, *session.posargs)


@nox.session
def fuzz(session):
    """Try many damaged inputs on the readers of PTX, cubins and fatbins: `nox -s fuzz -- 100000 7` (how many, seed)."""
    count, seed = (*session.posargs, *("20000", "1")[len(session.posargs) :])[:2]
    environment = {"CUDA_CPU_FUZZ": count, "CUDA_CPU_FUZZ_SEED": seed}
    session.run("python", "-m", "pytest", "-q", "tests/cpu/ptx/test_ptx_fuzz.py", env=environment)


# Path, packet width, level, workers: each pair of settings of paths and levels but those that make the same code.
WAYS = [
    ("region", "32", "0", "8"),
    ("region", "32", "3", "2"),
    ("region", "native", "3", "1"),
    ("region", "1", "0", "2"),
    ("fiber", "32", "1", "8"),
    ("fiber", "32", "3", "1"),
]
RANDOM = [
    ("tests/cpu/test_differential.py", {"CUDA_CPU_RANDOM_PROGRAMS": "60"}),
    ("tests/cpu/emit/test_emit_regions.py", {"CUDA_CPU_RANDOM_REGIONS": "400"}),
    ("tests/cpu/programs/test_random_programs.py", {"CUDA_CPU_RANDOM_PROGRAMS": "30", "CUDA_CPU_LEVEL": "3"}),
]


@nox.session
def differential(session):
    """Compare all ways of the CPU device: tests of programs in each way and under checks, random kernels. An hour.

    `nox -s differential -- random` runs the random kernels alone; what follows goes to pytest: `--hypothesis-seed=7`.
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
    """Plant faults in the compiler and tell which ones random kernels find: `nox -s faults -- memory`. Half an hour."""
    with session.chdir("tests"):
        session.run("python", "-m", "support.fault_hunt", *session.posargs)


@nox.session(venv_backend="venv")
def others(session):
    """Run the programs of Triton and Taichi, in an environment without PyTorch, which Triton would ask for the GPU."""
    session.install(".[all]", "pytest", "pytest-timeout", "hypothesis", "ml_dtypes", "triton", "taichi")
    environment = {"CUDA_CPU_PEER": f"{session.virtualenv.location}/bin/python"}
    tests = ("tests/interop/test_triton.py", "tests/interop/test_taichi.py")
    session.run("python", "-m", "pytest", *tests, *session.posargs, env=environment)


@nox.session
def docs(session):
    """Build the documentation; a warning is an error."""
    session.run("python", "-m", "sphinx", "-W", "--keep-going", "-b", "html", "docs", "docs/_build/html")


@nox.session
def bench(session):
    """Measure, against peers where they can be installed: `nox -s bench -- calls`."""
    session.run("python", "-m", "benchmarks", *session.posargs)
