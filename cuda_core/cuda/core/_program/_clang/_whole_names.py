# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Names of the options of `python -m cuda.cpu cc`: those of nvcc, and what becomes of each.

nvcc's options and their meaning: NVIDIA's manual of nvcc, section "NVCC Command Options", and `nvcc --help`.
"""

from __future__ import annotations

from cuda.core._program._clang._options import ARCHITECTURES

# Other names of nvcc and clang -> the name used below. Those with just one more dash, such as --keep, need no entry.
ALIASES = {
    "--output-file": "-o", "--compile": "-c", "--gpu-architecture": "-arch", "-gpu-architecture": "-arch",
    "--define-macro": "-D", "--undefine-macro": "-U", "--include-path": "-I", "--pre-include": "-include",
    "--library-path": "-L", "--library": "-l", "--optimize": "-O", "--debug": "-g", "--device-debug": "-G",
    "--generate-line-info": "-lineinfo", "--compiler-options": "-Xcompiler", "--linker-options": "-Xlinker",
    "--verbose": "-v", "--disable-warnings": "-w", "--help": "-h", "--relocatable-device-code": "-rdc",
    "--generate-code": "-gencode", "--machine": "-m", "--system-include": "-isystem", "--compiler-bindir": "-ccbin",
    "--expt-extended-lambda": "-extended-lambda", "-expt-extended-lambda": "-extended-lambda", "--device-c": "-dc",
    "--device-w": "-dw", "--device-link": "-dlink", "--ptxas-options": "-Xptxas", "--nvlink-options": "-Xnvlink",
    "--archive-options": "-Xarchive", "--threads": "-t", "--gpu-code": "-code", "--preprocess": "-E",
    "--generate-dependencies": "-M", "--generate-nonsystem-dependencies": "-MM",
    "--generate-dependencies-with-compile": "-MD", "--generate-nonsystem-dependencies-with-compile": "-MMD",
    "--generate-dependency-targets": "-MP", "--dependency-output": "-MF", "--dependency-target-name": "-MT",
    "--version": "-V", "--output-directory": "-odir", "--options-file": "-optf", "--profile": "-pg",
    "--no-exceptions": "-noeh", "--resource-usage": "-res-usage", "--source-in-ptx": "-src-in-ptx",
    "--Ofast-compile": "-Ofc", "--display-error-number": "-err-no", "--no-display-error-number": "-no-err-no",
    "--brief-diagnostics": "-brief-diag", "--no-device-link": "-nodlink", "--objdir-as-tempdir": "-objtemp",
    "--save-temps": "-keep", "-save-temps": "-keep", "--clean-targets": "-clean", "--dlink-time-opt": "-dlto",
    "--lto": "-dlto", "-lto": "-dlto", "--extensible-whole-program": "-ewp", "--libdevice-directory": "-ldir",
    "--target-directory": "-target-dir", "--list-gpu-arch": "-arch-ls", "-list-gpu-arch": "-arch-ls",
    "--list-gpu-code": "-code-ls", "-list-gpu-code": "-code-ls", "--offload-arch": "--cuda-gpu-arch",
}  # fmt: skip

# Options whose values are lists, with commas.
LISTS = ("-D", "-U", "-I", "-L", "-l", "-include", "-isystem", "-Xcompiler", "-Xlinker")
JOINED = ("-D", "-U", "-I", "-L", "-l", "-O", "-isystem", "-t")  # also without a space
PAIRS = {
    "-ftz": (["-fgpu-flush-denormals-to-zero", "-D__OPEN_CUDA_FTZ__"], ["-fno-gpu-flush-denormals-to-zero"]),
    "-prec-div": (["-mllvm", "-nvptx-prec-divf32=2"], ["-mllvm", "-nvptx-prec-divf32=1"]),
    "-prec-sqrt": (["-mllvm", "-nvptx-prec-sqrtf32=1"], ["-mllvm", "-nvptx-prec-sqrtf32=0"]),
    "-fmad": (["-ffp-contract=fast"], ["-ffp-contract=off"]),
}
TO_DEVICE = {
    "-G": ["-O0", "-g"],
    "-lineinfo": ["-gline-tables-only"],
    "-use_fast_math": [
        "-D__OPEN_CUDA_FAST_MATH__",
        *PAIRS["-ftz"][0],
        *PAIRS["-prec-div"][1],
        *PAIRS["-prec-sqrt"][1],
    ],
}
# Options with a number, for host and device -> clang's.
NUMBERS = {
    "-fmax-errors": "-ferror-limit=",
    "-ftemplate-depth": "-ftemplate-depth=",
    "-ftemplate-backtrace-limit": "-ftemplate-backtrace-limit=",
}
LANGUAGES = {"cu": ".cu", "cuda": ".cu", "c++": ".cpp", "c": ".c"}  # of -x -> the extension
# Options with one of several values.
CHOICES = {
    "-cudart": ("shared", "static", "none"),
    "-cudadevrt": ("static", "none"),
    "-default-stream": ("legacy", "null", "per-thread"),
    "-dopt": ("on",),
    "-x": tuple(LANGUAGES),
    "-stdlib": ("libstdc++",),
    **dict.fromkeys((*PAIRS, "-rdc"), ("true", "false")),
}
# Options that say which tools get unknown options.
FORWARD = {
    "-forward-unknown-to-host-compiler": ("host",),
    "-forward-unknown-to-host-linker": ("link",),
    "-forward-unknown-opts": ("host", "link"),
}
DEPENDENCIES = ("-MD", "-MMD", "-MP", "-MF", "-MT", "-MQ")

# clang always accepts what the first two permit; the others concern nvcc's own tools and files.
_NO_EFFECT = (
    "-extended-lambda", "-expt-relaxed-constexpr", "-restrict", "-m64", "-Wno-deprecated-gpu-targets", "-res-usage",
    "-src-in-ptx", "-extra-device-vectorization", "-err-no", "-no-err-no", "-allow-unsupported-compiler",
    "-use-local-env", "-no-compress", "-nodlink", "-objtemp", "-jobserver", "-link", "-Wdefault-stream-launch",
    "-Wmissing-launch-bounds", "-Wext-lambda-captures-this", *FORWARD,
)  # fmt: skip
_NO_EFFECT_WITH_VALUE = (
    "-Xptxas", "-Xnvlink", "-Xarchive", "-Xcudafe", "-t", "-code", "-diag-suppress", "-diag-warn", "-diag-error",
    "-split-compile", "-split-compile-extended", "-compress-mode", "-brief-diag", "-Ofc", "-hls", "-ldir", "-cudart",
    "-cudadevrt", "-stdlib", "-static-global-template-stub", "-device-entity-has-hidden-visibility", "--cuda-path",
    "--no-cuda-include-ptx",
)  # fmt: skip
NO_EFFECT = frozenset((*_NO_EFFECT, *_NO_EFFECT_WITH_VALUE))
_KNOWN_ARCHITECTURES = f"the architectures are {', '.join(map(str, ARCHITECTURES))}"
# What is not supported, and what to do.
REFUSED = {
    "-dlink": "device code is linked when the program starts; link the objects by cc",
    "-dlto": "link-time optimisation is not supported",
    "-lib": "use -c, then ar",
    "-keep": "use -v, which prints the commands, and -ptx",
    "-keep-dir": "use -v, which prints the commands, and -ptx",
    "-clean": "remove the files yourself",
    "-m32": "programs are for 64-bit machines",
    "-dryrun": "use -v, which prints the commands and runs them",
    "-static": "a statically linked program cannot load the runtime library",
    "-cubin": "programs have PTX; use -ptx",
    "-ltoir": "programs have PTX; use -ptx",
    "-optix-ir": "programs have PTX; use -ptx",
    "-cuda": "the host code is not written as C++; use -ptx for the device code",
    "-ewp": "use -rdc=true",
    "-dw": "use -c",
    "-run": "run the program yourself",
    "-run-args": "run the program yourself",
    "-target-dir": "programs are for this machine",
    "-arch-ls": _KNOWN_ARCHITECTURES,
    "-code-ls": _KNOWN_ARCHITECTURES,
    "-time": "not supported",
    "-fdevice-time-trace": "not supported",
    "-fdevice-syntax-only": "use -ptx",
    "-fdevice-sanitize": "run the program by python -m cuda.cpu check",
}
# Kinds of nvcc's -Werror -> clang's option, "" for those that clang has no warning for.
ERRORS = {
    "all-warnings": "-Werror",
    "reorder": "-Werror=reorder",
    "conversion": "-Werror=conversion",
    "deprecated-declarations": "-Werror=deprecated-declarations",
    "cross-execution-space-call": "",  # always an error where it matters
    "default-stream-launch": "",
    "missing-launch-bounds": "",
    "ext-lambda-captures-this": "",
}

STOPS = ("-c", "-ptx", "-fatbin", "-E", "-M", "-MM")
_FLAGS = ("-v", "-V", "-h", "-g", "-w", "-dc", "-shared", "-pthread", "-pg", "-noeh", "-fgpu-rdc", *STOPS, *TO_DEVICE)
_VALUES = (
    *LISTS, *NUMBERS, *CHOICES, *_NO_EFFECT_WITH_VALUE, "-o", "-odir", "-optf", "-std", "-arch", "-gencode", "-O",
    "-m", "-ccbin", "-maxrregcount", "-Werror", "--cuda-gpu-arch", "-MF", "-MT", "-MQ",
)  # fmt: skip
TAKE_VALUES = frozenset(_VALUES)
TAKE_NONE = frozenset((*_FLAGS, *_NO_EFFECT, "-MD", "-MMD", "-MP"))
KNOWN = TAKE_VALUES | TAKE_NONE | REFUSED.keys()


def known_name(name: str) -> str:
    """Return the name of an option in the tables above; other names are returned as they are."""
    name = ALIASES.get(name, name)
    return name[1:] if name.startswith("--") and name[1:] in KNOWN else name
