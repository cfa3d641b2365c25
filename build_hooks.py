# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""PEP 517/660 backend over setuptools: generate -> cythonize -> compile.

Five source roots make one distribution; `cuda` is a namespace package, shared with cuda-pathfinder. The sdist contains
the generated sources, so that building a wheel from it needs only a C compiler and Cython.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import os
import pathlib
import platform
import runpy
import shlex
import shutil
import subprocess
import sys
import sysconfig
import zipfile

from setuptools import Extension, build_meta, find_namespace_packages
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).parent
SOURCE_ROOTS = ("cuda_bindings", "cuda_core", "cuda_cpu", "cuda_interop", "cuda_perf")
ABOVE_PACKAGES = 1  # leading folders of a path that belong to no package; cuda_cpu/driver_build.py changes it
CODEGEN = ROOT / "cuda_bindings/codegen"
MACHINES = "cuda/cpu/compile/machines.py"  # the table of supported machines, in the source root of the CPU device
BINDINGS = "cuda_bindings/cuda/bindings"
CPU = "cuda_cpu/cuda/cpu"

APIS = ("driver", "runtime", "nvrtc", "nvjitlink", "nvvm", "nvfatbin", "nvml", "cufile", "cudla")
# Files written by `python -m codegen write`, which runs if one is absent. tests/test_build_hooks.py compares the lists.
GENERATED = (
    *(f"{BINDINGS}/cy{name}.{suffix}" for name in APIS for suffix in ("pxd", "pyx")),
    *(f"{BINDINGS}/{name}.{suffix}" for name in APIS for suffix in ("pyx", "pyi")),
    f"{CPU}/entry/_shell.c",
    f"{CPU}/runtime_api/_shell.c",
    f"{CPU}/runtime_abi.py",
    f"{CPU}/nvml/_unsupported.c",
    "cuda_core/cuda/core/_program/_clang/include/cudaTypedefs.h",
    "cuda_core/cuda/core/_program/_clang/include/open_cuda/driver_api.h",
    "cuda_core/cuda/core/_program/_clang/include/open_cuda/runtime_api.h",
    STAMP := f"{CPU}/abi.py",  # its time says when the generator last ran: nothing is compiled from it
)
# What `python -m codegen facts` reads the headers with: a build needs it only if CUDA_HOME names other headers.
HEADER_NEEDS = [
    "libclang>=18",
    "nvidia-cuda-runtime==13.5.*",  # cuda.h, cudaTypedefs.h
    "nvidia-cuda-crt==13.5.*",  # what cuda_runtime.h includes
    "nvidia-cuda-profiler-api==13.5.*",  # cudaProfiler.h
    "nvidia-cuda-nvrtc==13.5.*",  # nvrtc.h
    "nvidia-nvjitlink==13.5.*",  # nvJitLink.h
    "nvidia-nvvm==13.5.*",  # nvvm.h
    "nvidia-nvfatbin==13.5.*",  # nvFatbin.h
    "nvidia-nvml-dev==13.5.*",  # nvml.h
    "nvidia-cufile==1.20.*",  # cufile.h
]

# Cython's utility functions and types, which would add 20 kB to every module: cuda.bindings and cuda.core share
# one. cuda.cpu does not, since it can be installed alone.
UTILITY = "cuda.bindings._cython_utility"
UTILITY_SOURCE = f"{BINDINGS}/_cython_utility.c"

# Free-threaded Python enables the GIL when it imports an extension module that does not declare to work without it.
# Cython would print exceptions that cannot be raised by PyErr_Print, which ends the process if they are a SystemExit.
DIRECTIVES = {
    "language_level": 3,
    "embedsignature": False,
    "freethreading_compatible": True,
    "unraisable_tracebacks": False,
}

# -g0 and -s: the flags of Debian's Python include debug information, ten times the size of the code.
COMPILE = ["-O2", "-g0", "-fno-strict-aliasing", "-Wno-unused-function"]
HIDDEN = "-fvisibility=hidden"  # except PyInit_: calls between files then need no symbol lookup
LINK = ["-Wl,-s"]

# Extension modules with more than their .pyx: C sources (patterns), include folders, libraries.
EXTENSION_NEEDS = {
    "cuda.cpu.runtime._runtime": {
        "sources": [f"{CPU}/runtime/*/*.c"],
        "include_dirs": [f"{CPU}/runtime"],
        "libraries": ["dl", "pthread", "m"],
        "depends": [f"{CPU}/runtime/*/*.h", f"{CPU}/runtime/*.pxd", f"{CPU}/runtime/*.pxi"],
    },
}

# Shared libraries that other programs open by name: path, which ends in the SONAME -> sources (patterns). They do not
# link libpython: a process that opens libcuda.so.1 runs Python already, or loads it by programs/embed/. The libraries
# of the runtime API and of cuFile have other names than NVIDIA's, since they lack functions of those: libraries that
# are loaded later (PyTorch's) must not be resolved to them.
LIBRARIES = {
    f"{CPU}/entry/libcuda.so.1": [f"{CPU}/entry/*.c"],
    f"{CPU}/runtime_api/libcudart_cpu.so.13": [f"{CPU}/runtime_api/*.c"],
    f"{CPU}/programs/embed/libcuda_cpu_python.so": [f"{CPU}/programs/embed/*.c"],
    f"{CPU}/nvml/libnvidia-ml.so.1": [f"{CPU}/nvml/*.c"],
    f"{CPU}/cufile/libcufile_cpu.so.0": [f"{CPU}/cufile/*.c"],
    f"{CPU}/programs/forward/libnvrtc.so.13": [f"{CPU}/programs/forward/nvrtc.c"],
    f"{CPU}/programs/forward/libnvJitLink.so.13": [f"{CPU}/programs/forward/nvjitlink.c"],
    f"{CPU}/programs/forward/libnvrtc.so.12": [f"{CPU}/programs/forward/nvrtc12.c"],
    f"{CPU}/programs/forward/libnvJitLink.so.12": [f"{CPU}/programs/forward/nvjitlink12.c"],
    f"{CPU}/programs/xla/libcudnn.so.9": [f"{CPU}/programs/xla/cudnn.c"],
}
# Version scripts, for libraries whose symbols have versions in NVIDIA's.
VERSIONS = {f"{CPU}/runtime_api/libcudart_cpu.so.13": f"{CPU}/runtime_api/exports.map"}
# Headers that they include from other folders.
LIBRARY_HEADERS = [f"{CPU}/entry/*.[ch]", f"{CPU}/runtime/queue/fast_path.h", f"{CPU}/runtime/arch/*.h"]


def check_platform() -> None:
    """Exit with a message on an unsupported system."""
    system, machine = platform.system(), platform.machine()
    here = pathlib.Path(__file__).parent  # of cuda-cpu's sdist, the source root
    folder = next(folder for folder in (here / "cuda_cpu", here) if (folder / MACHINES).exists())
    known = {each.name: each.title for each in runpy.run_path(str(folder / MACHINES))["MACHINES"]}
    if system != "Linux" or machine not in known:
        raise SystemExit(f"open-cuda-python runs on Linux {' and '.join(known.values())}; this is {system} {machine}.")


def check_compiler() -> None:
    """Exit with the command that installs the compiler or Python.h if one is missing."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    advice = "on Debian and Ubuntu: sudo apt-get install gcc python3-dev"
    if shutil.which(compiler[0]) is None:
        raise SystemExit(f"open-cuda-python is compiled, and the C compiler {compiler[0]!r} is not found; {advice}")
    include = sysconfig.get_path("include")
    done = subprocess.run(
        [*compiler, "-fsyntax-only", f"-I{include}", "-x", "c", "-"],
        input="#include <Python.h>\n", capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode != 0:
        raise SystemExit(
            f"open-cuda-python is compiled, and {compiler[0]} cannot compile with Python.h of {include}; {advice} "
            f"(python3.X-dev for another Python)\n{done.stderr}"
        )


def missing_sources() -> list[str]:
    return [path for path in GENERATED if not (ROOT / path).exists()]


def needs_headers() -> bool:
    """Return whether the generator parses the headers of a toolkit instead of reading the committed facts."""
    return bool(os.environ.get("CUDA_HOME"))


def sources_are_stale() -> bool:
    """Return whether a file of the generator is newer than its last run."""
    if not CODEGEN.exists():
        return False
    rules = [*CODEGEN.iterdir(), *(CODEGEN / "facts").iterdir()]
    newest_rule = max(path.stat().st_mtime for path in rules if path.suffix in (".py", ".pyx", ".toml", ".json"))
    return newest_rule > (ROOT / STAMP).stat().st_mtime


def generate() -> None:
    """Run the generator if generated sources are absent or older than it."""
    missing = missing_sources()
    if not (CODEGEN / "__main__.py").exists() or not (missing or sources_are_stale()):
        return
    if needs_headers() and importlib.util.find_spec("clang") is None:
        needs = " ".join(f"'{need}'" for need in HEADER_NEEDS)
        raise SystemExit(f"CUDA_HOME is set: to read its headers, pip install {needs}; or unset it")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(CODEGEN.parent), *sys.path])}
    subprocess.run([sys.executable, "-m", "codegen", "write"], cwd=ROOT, env=environment, check=True)
    if (ROOT / STAMP).exists():
        os.utime(ROOT / STAMP)


def expand(patterns: list[str], *, but: str = "") -> list[str]:
    return [
        str(path.relative_to(ROOT)) for pattern in patterns for path in sorted(ROOT.glob(pattern)) if path.name != but
    ]


def extensions() -> list[Extension]:
    """Return an extension for each .pyx below the source roots, named by its path; the largest first.

    A large one compiled last would leave the other cores idle.
    """
    found = []
    paths = [(root, path) for root in SOURCE_ROOTS for path in (ROOT / root / "cuda").rglob("*.pyx")]
    for root, path in sorted(paths, key=lambda entry: (-entry[1].stat().st_size, entry)):
        name = ".".join(path.relative_to(ROOT / root).with_suffix("").parts)
        needs = dict(EXTENSION_NEEDS.get(name, {}))
        sources = [str(path.relative_to(ROOT)), *expand(needs.pop("sources", []), but=f"{path.stem}.c")]
        needs["depends"] = expand(needs.pop("depends", []))
        found.append(Extension(name, sources, extra_compile_args=[*COMPILE, HIDDEN], extra_link_args=LINK, **needs))
    if any(uses_utility(module) for module in found):
        found.append(Extension(UTILITY, [UTILITY_SOURCE], extra_compile_args=COMPILE, extra_link_args=LINK))
    return found


def uses_utility(module: Extension) -> bool:
    return not module.name.startswith("cuda.cpu.")


def write_utility() -> None:
    """Write the source of Cython's shared utility module if it is absent or of another version of Cython.

    The memoryview classes are excluded: they load slowly, and no module uses them.
    """
    from Cython import __version__

    source = ROOT / UTILITY_SOURCE
    if not source.exists() or f"Cython {__version__} " not in source.read_text().partition("\n")[0]:
        command = ["generate-shared", UTILITY_SOURCE, "--exclude", "MemoryView"]
        subprocess.run([sys.executable, "-m", "cython", *command], cwd=ROOT, check=True)


def packages() -> dict[str, str]:
    """Return every package and its folder, without the namespace package `cuda`."""
    return {
        name: f"{root}/{name.replace('.', '/')}"
        for root in SOURCE_ROOTS
        for name in find_namespace_packages(str(ROOT / root), include=["cuda.*"], exclude=["*.__pycache__*"])
    }


def written_sources(modules: list[Extension]) -> dict[str, list[str]]:
    """Return the sources of each module with the C that Cython has written, none if any of it is not current.

    Cython compares its own files, too, which are always newer in the environment that pip makes for each build: a
    second `pip install` would compile everything again.
    """
    from Cython import __version__

    patterns = [f"{root}/**/*{suffix}" for root in SOURCE_ROOTS for suffix in (".pyx", ".pxd", ".pxi")]
    newest = max(path.stat().st_mtime for pattern in patterns for path in ROOT.glob(pattern))
    newest = max(newest, pathlib.Path(__file__).stat().st_mtime)
    found = {}
    for module in modules:
        path = (ROOT / module.sources[0]).with_suffix(".c")
        if not path.exists() or path.stat().st_mtime <= newest:
            return {}
        with path.open() as file:
            if f"Cython {__version__} " not in file.readline():
                return {}
        found[module.name] = [str(path.relative_to(ROOT)), *module.sources[1:]]
    return found


class BuildExt(build_ext):
    """Cythonize and compile on all cores, then link the plain shared libraries."""

    def initialize_options(self) -> None:
        super().initialize_options()
        self.parallel = os.cpu_count() or 1

    def run(self) -> None:
        from Cython.Build import cythonize

        modules = [module for module in self.extensions if module.name != UTILITY]
        if len(modules) < len(self.extensions):
            write_utility()
        sources = written_sources(modules)
        for shared in (UTILITY, None) if not sources else ():
            done = cythonize(
                [module for module in modules if uses_utility(module) == bool(shared)],
                include_path=list(SOURCE_ROOTS),
                nthreads=self.parallel,
                compiler_directives=DIRECTIVES,
                shared_utility_qualified_name=shared,
            )
            sources |= {module.name: module.sources for module in done}
        for module in modules:
            module.sources = sources[module.name]
        super().run()
        for target, patterns in LIBRARIES.items():
            if found := expand(patterns):
                self.build_library(target, found, VERSIONS.get(target))

    def build_library(self, target: str, sources: list[str], versions: str | None = None) -> None:
        inside = target.split("/")[ABOVE_PACKAGES:]
        library = pathlib.Path(target if self.inplace else os.path.join(self.build_lib, *inside))
        library.parent.mkdir(parents=True, exist_ok=True)
        headers = [str(path) for source in sources for path in pathlib.Path(source).parent.glob("*.h")]
        shared = [*expand(LIBRARY_HEADERS), *([str(ROOT / versions)] if versions else [])]
        if library.exists() and library.stat().st_mtime > max(map(os.path.getmtime, (*sources, *headers, *shared))):
            return
        objects = self.compiler.compile(
            sources,
            output_dir=self.build_temp,
            include_dirs=[*self.include_dirs, os.path.dirname(sources[0])],
            extra_postargs=[*COMPILE, "-fPIC"],
        )
        options = [*LINK, f"-Wl,-soname,{library.name}", "-Wl,-z,nodelete"]  # Python keeps addresses of its functions
        if versions:
            options.append(f"-Wl,--version-script,{ROOT / versions}")
        self.compiler.link_shared_object(objects, str(library), libraries=["dl", "pthread"], extra_postargs=options)


def get_requires_for_build_sdist(config_settings=None) -> list[str]:
    check_platform()
    return HEADER_NEEDS if needs_headers() and missing_sources() and CODEGEN.exists() else []


def get_requires_for_build_wheel(config_settings=None) -> list[str]:
    """Return the generator's requirements; first check for a compiler, before pip downloads them."""
    needs = get_requires_for_build_sdist()
    check_compiler()
    return needs


get_requires_for_build_editable = get_requires_for_build_wheel
prepare_metadata_for_build_wheel = prepare_metadata_for_build_editable = build_meta.prepare_metadata_for_build_wheel
build_wheel = build_meta.build_wheel
build_sdist = build_meta.build_sdist


def build_editable(wheel_directory: str, config_settings=None, metadata_directory: str | None = None) -> str:
    """Build in place and make a wheel of one .pth file that names the source roots.

    setuptools' own finder hook takes over the whole namespace `cuda`, which hides cuda.pathfinder.
    """
    subprocess.run([sys.executable, "setup.py", "build_ext", "--inplace"], cwd=ROOT, check=True)
    info = pathlib.Path(metadata_directory or wheel_directory)
    if metadata_directory is None:
        info /= prepare_metadata_for_build_wheel(wheel_directory, config_settings)
    tag = f"py3-none-{platform.system().lower()}_{platform.machine()}"
    files = {f"{info.name}/{path.name}": path.read_bytes() for path in info.iterdir() if path.is_file()}
    about = f"Wheel-Version: 1.0\nGenerator: build_hooks\nRoot-Is-Purelib: false\nTag: {tag}\n"
    paths = "".join(f"{ROOT / root}\n" for root in SOURCE_ROOTS)
    files |= {"__editable__.open_cuda_python.pth": paths.encode(), f"{info.name}/WHEEL": about.encode()}
    files[f"{info.name}/RECORD"] = record(files, f"{info.name}/RECORD")
    wheel = f"{info.name.removesuffix('.dist-info')}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return wheel


def record(files: dict[str, bytes], own_name: str) -> bytes:
    """Return the RECORD of a wheel: each file with its digest and size."""
    lines = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    return "".join([*lines, f"{own_name},,\n"]).encode()
