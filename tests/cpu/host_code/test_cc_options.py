# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Options of `python -m cuda.cpu cc`: what clang and the linker get for those of nvcc."""

from __future__ import annotations

import pytest

options = pytest.importorskip("cuda.core._program._clang._whole_options", reason="cuda.core has no device headers")
words = pytest.importorskip("cuda.core._program._clang._whole_words", reason="cuda.core has no device headers")

pytestmark = pytest.mark.cpu_only


def parsed(*arguments):
    """Return the fields of a command that differ from their defaults."""
    default = vars(options.Command())
    return {name: value for name, value in vars(options.parse(arguments)).items() if value != default[name]}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["-maxrregcount", "64"], {"registers": 64}),
        (["--maxrregcount=64"], {"registers": 64}),
        (["-maxrregcount=0x20"], {"registers": 32}),
        (["-maxrregcount=64", "-maxrregcount="], {}),
        (["-I/x,/y", "-DA,B", "-lm,dl"], {"both": ["-I/x", "-I/y", "-DA", "-DB"], "link": ["-lm", "-ldl"]}),
        (["-DF(a,b)=a", '-DS="x,y"', r"-DT=x\,y"], {"both": ["-DF(a,b)=a", '-DS="x,y"', "-DT=x,y"]}),
        (["-include", "a.h,b.h"], {"both": ["-include", "a.h", "-include", "b.h"]}),
        (
            ["-isystem=/x", "-isystem/y", "--system-include", "/z"],
            {"both": ["-isystem", "/x", "-isystem", "/y", "-isystem", "/z"]},
        ),
        (["-Xcompiler", "-fPIC,-Wall", "-Xcompiler=-O2 -g"], {"host": ["-fPIC", "-Wall", "-O2", "-g"]}),
        (["-Xcompiler", "-rdynamic,-no-pie"], {"link": ["-rdynamic", "-no-pie"]}),
        (["-pg"], {"host": ["-pg"], "link": ["-pg"]}),
        (["--no-exceptions"], {"host": ["-fno-exceptions"]}),
        (["-fmax-errors", "3", "--ftemplate-depth=50"], {"both": ["-ferror-limit=3", "-ftemplate-depth=50"]}),
        (["-Werror", "reorder,cross-execution-space-call"], {"both": ["-Werror=reorder"]}),
        (["-Werror", "all-warnings"], {"both": ["-Werror"]}),
        (["-Werror", "-Wall", "-Werror=unused"], {"both": ["-Werror", "-Wall", "-Werror=unused"]}),
        (["-arch=all-major"], {"arch": "sm_90"}),
        (
            ["--cuda-gpu-arch=sm_80", "--offload-arch=sm_75,sm_86", "-fgpu-rdc", "--cuda-path=/x"],
            {"generated": [80, 75, 86], "arch": "sm_86", "relocatable": True},
        ),
        (["--offload-arch=native"], {"generated": [90], "arch": "sm_90"}),
        (["-default-stream", "null"], {"both": ["-fgpu-default-stream=legacy"]}),
        (["-G", "-dopt=on"], {"device": ["-O0", "-g", "-O1"]}),
        (["--fmad=false", "--shared"], {"device": ["-ffp-contract=off"], "link": ["-shared"]}),
    ],
)
def test_options_of_nvcc(arguments, expected):
    assert parsed(*arguments) == expected


@pytest.mark.parametrize(
    "line",
    [
        "-ccbin g++",
        "--compiler-bindir=/usr/bin/x86_64-linux-gnu-g++-12",
        "-ccbin clang++-20",
        "-ccbin .",
        "-cudart static -cudadevrt=none -lcudart_static",
        "--resource-usage -Xptxas -v,-dlcm=ca -Xnvlink=-v -Xcudafe --diag_suppress=1 -diag-suppress 1,2 -diag-error=3",
        "-t4 --threads 4 --split-compile=0 -Ofc max -compress-mode=size --source-in-ptx -extra-device-vectorization",
        "-allow-unsupported-compiler --restrict -m 64 --machine=64 -m64 -dopt on -stdlib=libstdc++ -link",
        "-Wdefault-stream-launch -Wmissing-launch-bounds -Wext-lambda-captures-this -Werror default-stream-launch",
    ],
)
def test_options_without_effect(line):
    assert parsed(*line.split()) == {}


def test_unknown_options_are_forwarded():
    assert parsed("-mavx2", "-forward-unknown-to-host-compiler") == {"host": ["-mavx2"], "forward": ["host"]}
    assert parsed("-forward-unknown-to-host-linker", "-s") == {"link": ["-s"], "forward": ["link"]}
    forwarded = parsed("--forward-unknown-opts", "-mavx2", "-O2")
    assert forwarded == {"host": ["-mavx2"], "link": ["-mavx2"], "both": ["-O2"], "forward": ["host", "link"]}


def test_options_in_files(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text(f"-DA\n'-I/with space' --options-file={second}\n")
    second.write_text("b.cu -c")
    found = parsed("a.cu", "-optf", str(first), "-DC")
    assert found == {"inputs": ["a.cu", "b.cu"], "both": ["-DA", "-I/with space", "-DC"], "stop": "-c"}
    second.write_text(f"-optf {first}")
    with pytest.raises(words.UsageError, match="first includes itself"):
        parsed("-optf", str(first))
    second.write_text("-D'A")
    with pytest.raises(words.UsageError, match="second is not readable: No closing quotation"):
        parsed("-optf", str(second))
    with pytest.raises(words.UsageError, match="-optf: absent is not readable: No such file or directory"):
        parsed("-optf", "absent")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("-maxrregcount x", "-maxrregcount is 'x': give the most registers of a thread, such as 64, or 0 for no limit"),
        ("-maxrregcount=-1", "-maxrregcount is '-1': give the most registers of a thread"),
        ("--maxrregcount=3.5", "-maxrregcount is '3.5': give the most registers of a thread"),
        ("-maxrregcount", "-maxrregcount lacks its value"),
        ("-fmax-errors few", "-fmax-errors is 'few': give a number"),
        ("--offload-arch=gfx90a", "--cuda-gpu-arch is 'gfx90a': give sm_NN"),
        ("-O a.cu", "-O is 'a.cu': give 0, 1, 2 or 3"),
        ("-std=c++03", "-std is 'c++03': the headers need c++11 or newer"),
        ("-ccbin icpx", "-ccbin is 'icpx': host code is compiled by clang; leave it out, or name g++ or clang++"),
        ("-odir absent", "-odir: there is no folder absent"),
        ("-cudart=both", "-cudart is 'both': give shared, static or none"),
        ("-stdlib=libc++", "-stdlib is 'libc++': give libstdc++"),
        ("-m 32", "-m is '32': programs are for 64-bit machines"),
        ("-m32", "-m32: programs are for 64-bit machines"),
        ("-lineinfo=true", "-lineinfo=true: -lineinfo takes no value"),
        ("--use-fast-math", "--use-fast-math is not an option of cc; did you mean -use_fast_math?"),
        ("-march=native", "-march=native is not an option of cc; for the host compiler: -Xcompiler -march=native"),
        ("-Xcompiler -static", "-static: a statically linked program cannot load the runtime library"),
        ("--list-gpu-arch", "-arch-ls: the architectures are 75, 80"),
        ("--keep --keep-dir x", "-keep: use -v, which prints the commands"),
        ("-save-temps", "-keep: use -v, which prints the commands"),
        ("-ltoir", "-ltoir: programs have PTX; use -ptx"),
        ("--dlink-time-opt", "-dlto: link-time optimisation is not supported"),
        ("-fdevice-sanitize=memcheck", "-fdevice-sanitize: run the program by python -m cuda.cpu check"),
    ],
)
def test_wrong_options(line, message):
    with pytest.raises(words.UsageError) as caught:
        parsed(*line.split())
    assert str(caught.value).startswith(message)
