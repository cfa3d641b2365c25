# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`python -m cuda.cpu cc`: whole programs compiled by clang, which then run by themselves."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess

import pytest
from host_programs import HERE, environment
from whole_programs import call, run

from cuda.cpu import abi, runtime_abi
from cuda.cpu.programs import cc

pytestmark = [pytest.mark.cpu_only, pytest.mark.timeout(300), pytest.mark.usefixtures("installed")]


WHOLE = [HERE / name for name in ("whole.cu", "whole_more.cu", "whole_host.cpp")]


def test_a_program_of_several_files(build):
    assert run(build(*WHOLE, "-std=c++20")) == "sum 49995000 of 10000\nfine\n"


def test_the_session_of_the_guide(build, tmp_path):
    page = (HERE.parents[2] / "docs/guides/whole_programs.md").read_text()
    (tmp_path / "sums.cu").write_text(re.search(r"```cuda\n(.*?)```", page, re.DOTALL)[1])
    assert re.search(r"\$ \./sums\n(.*?)```", page, re.DOTALL)[1] == run(build("sums.cu"))


def test_files_are_compiled_one_by_one_and_linked(build, tmp_path):
    for path in WHOLE:
        assert call("-c", "-O1", "-arch=sm_90", path, folder=tmp_path).returncode == 0
    assert run(build("whole.o", "whole_more.o", "whole_host.o")).endswith("fine\n")


@pytest.mark.parametrize("options", [("-lcuda",), ("-default-stream=per-thread",)])
def test_the_driver_api(build, options):
    assert run(build(HERE / "driver.cu", *options)) == "fine\n"


def test_host_code_with_the_driver_api_only(build, tmp_path):
    (tmp_path / "driver.cpp").write_text("""
        #include <cstdio>
        #include <cuda.h>
        int main() { int count = 0; std::printf("%d %d\\n", cuInit(0), (cuDeviceGetCount(&count), count)); }
    """)
    assert run(build("driver.cpp")) == "0 1\n"


def test_types_of_pointers_to_functions_of_the_driver(build, tmp_path):
    (tmp_path / "pointers.cpp").write_text("""
        #include <cudaTypedefs.h>
        #include <cstdio>
        static_assert(CUDA_VERSION >= 13000 && sizeof(CUmemAllocationType_enum) == 4 && sizeof(cudaError_enum) == 4);
        int main() {
            PFN_cuGetErrorName_v6000 found; const char *name = "";
            CUresult (CUDAAPI *same)(CUresult, const char **) = (PFN_cuGetErrorName)nullptr;
            if (cuGetProcAddress("cuGetErrorName", (void **)&found, 12000, 0, nullptr) || same) return 1;
            found(CUDA_ERROR_NOT_FOUND, &name);
            std::puts(name);
        }
    """)
    assert run(build("pointers.cpp")) == "CUDA_ERROR_NOT_FOUND\n"


LIBRARY = """
    algorithm any array atomic bit bitset cassert ccomplex cctype cerrno cfenv cfloat chrono cinttypes climits clocale
    cmath codecvt compare complex concepts condition_variable csetjmp csignal cstdalign cstdarg cstdbool cstddef cstdint
    cstdio cstdlib cstring ctgmath ctime cwchar cwctype deque exception filesystem forward_list fstream functional
    future initializer_list iomanip ios iosfwd iostream istream iterator limits list locale map memory memory_resource
    mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator set shared_mutex span
    sstream stack stdexcept streambuf string string_view strstream system_error thread tuple type_traits typeindex
    typeinfo unordered_map unordered_set utility valarray variant vector
"""


def test_the_headers_of_the_library_in_device_code(build, tmp_path):
    includes = "\n".join(f"#include <{name}>" for name in LIBRARY.split())
    (tmp_path / "library.cu").write_text(f"""{includes}
        struct Value {{ int number; __device__ explicit Value(int given) : number(given) {{}} }};
        __global__ void make(Value *to) {{ new (to) Value(5); new (to + 1) Value[1]{{Value(6)}}; }}
        int main() {{
            std::shared_ptr<int> shared = std::make_shared<int>(4);
            Value *values; cudaMallocManaged(&values, 2 * sizeof(Value));
            make<<<1, 1>>>(values); cudaDeviceSynchronize();
            std::cout << *shared << values[0].number << values[1].number << std::endl;
        }}
    """)
    assert run(build("library.cu", "-std=c++20", "-w")) == "456\n"


@pytest.mark.parametrize("level", ["-O0", "-O3"])
def test_what_programs_of_nvcc_have_without_includes(build, level):
    assert run(build(HERE / "implicit.cu", "-w", level)) == "fine\n"


def test_mathematical_functions_of_the_library_in_kernels(build):
    assert run(build(HERE / "math_calls.cu")) == "fine\n"


@pytest.mark.parametrize("name", ["math_calls", "forms", "implicit"])
def test_the_library_of_ziglang(tmp_path, name):
    pytest.importorskip("ziglang", reason="ziglang is not installed")
    done = call("-c", HERE / f"{name}.cu", "-w", folder=tmp_path, PATH=str(tmp_path))  # without g++
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
def test_halves_on_the_host(build, arch):
    assert run(build(HERE / "halves.cu", f"-arch={arch}")) == "fine\n"


def test_thrust_and_cub(build):
    pytest.importorskip("nvidia.cu13.include", reason="the headers of CCCL are not installed: nvidia-cuda-cccl")
    assert run(build(HERE / "cccl.cu", "-O1")) == "fine\n"


@pytest.mark.parametrize("options", [(), ("-O0",), ("-rdc=true", "-g")])
def test_managed_variables(build, options):
    assert run(build(HERE / "managed.cu", *options)) == "fine\n"


def test_the_initial_value_of_a_managed_variable_is_no_address(tmp_path):
    (tmp_path / "managed.cu").write_text("__device__ int x; __managed__ int *pointer = &x; int main() {}\n")
    done = call("managed.cu", folder=tmp_path)
    assert done.returncode == 1
    assert "error: the initial value of __managed__ pointer is an address: assign it when it runs" in done.stderr


UNITS = [HERE / "units.cu", HERE / "more/units.cu"]


class TestRelocatableDeviceCode:
    def test_functions_variables_and_launches(self, build):
        assert run(build(HERE / "linked.cu", HERE / "linked_more.cu", "-rdc=true")) == "fine\n"

    def test_files_of_the_same_name(self, build):
        assert run(build(*UNITS, "-rdc=true", "-O1")) == "fine\n"

    def test_objects_and_static_libraries(self, build, tmp_path):
        assert call("-dc", UNITS[0], "-o", "first.o", folder=tmp_path).returncode == 0
        assert call("--relocatable-device-code", "true", "-c", UNITS[1], folder=tmp_path).returncode == 0
        subprocess.run(["ar", "rc", "libsecond.a", "units.o"], cwd=tmp_path, check=True)
        assert run(build("first.o", "-L.", "-lsecond")) == "fine\n"

    def test_a_library_and_a_program_have_code_of_their_own(self, build, tmp_path):
        (tmp_path / "library.cu").write_text("""
            __device__ int value = 1;
            __global__ void read(int *to) { *to = value; }
            int from_library() {
                int *to; cudaMallocManaged(&to, 4); read<<<1, 1>>>(to); cudaDeviceSynchronize();
                return *to;
            }
        """)
        (tmp_path / "main.cu").write_text("""
            #include <cstdio>
            __device__ int value = 2;
            __global__ void write(int *to) { *to = value; }
            int from_library();
            int main() {
                int *to; cudaMallocManaged(&to, 4); write<<<1, 1>>>(to); cudaDeviceSynchronize();
                std::printf("%d %d\\n", *to, from_library());
            }
        """)
        rdc = "-rdc=true"
        build("library.cu", rdc, "-shared", "-Xcompiler", "-fPIC", "-Wl,-Bsymbolic", name="liblibrary.so")
        assert run(build("main.cu", rdc, "-L.", "-llibrary", f"-Wl,-rpath,{tmp_path}")) == "2 1\n"

    def test_the_linker_reports_what_is_missing_or_defined_twice(self, tmp_path):
        done = call(UNITS[0], "-rdc=true", folder=tmp_path)
        assert done.returncode == 1
        for name in ("_Z4nextv", "total", "weights"):
            assert f"device_code.{name}'" in done.stderr
        for name in ("a.cu", "b.cu"):
            (tmp_path / name).write_text("__device__ int same() { return 1; }")
        (tmp_path / "main.cu").write_text("int main() {}")
        done = call("a.cu", "b.cu", "main.cu", "-rdc=true", folder=tmp_path)
        assert done.returncode == 1
        assert "multiple definition of `device_code._Z4samev'" in done.stderr


@pytest.mark.parametrize("name", ["launches", "graphs", "samples", "forms"])
def test_programs_that_nvcc_compiles(build, name):
    assert run(build(HERE / f"{name}.cu", "-arch=sm_90")) == "fine\n"


def test_streams_textures_and_output(build):
    program = build(HERE / "streams.cu", "-default-stream=per-thread")
    assert run(program) == "before\nthread 0 of block 0\nthread 0 of block 1\nfine\n"


def test_functions_of_newer_devices(build):
    assert run(build(HERE / "newer.cu", "-arch=sm_90")) == "tanh 0.91\nsum 6, round 1\n"


def test_kernels_are_registered_before_other_objects_are_constructed(build):
    assert run(build(HERE / "early.cu")) == "main 42\nat exit 84\ndestroyed\n"


def test_options_for_device_code(build, tmp_path):
    source = tmp_path / "options.cu"
    source.write_text("""
        #include <cstdio>
        __global__ void divide(float x, float y) { printf("%a\\n", x / y * DENORMAL); }
        int main() { divide<<<1, 1>>>(1.0f, 3.0f); cudaDeviceSynchronize(); }
    """)
    kept = run(build(source, "-DDENORMAL=0x1p-130f"))
    assert kept != run(build(source, "-D", "DENORMAL=0x1p-130f", "-ftz=true")) == "0x0p+0\n"
    ptx = call(source, "-DDENORMAL=1", "-ptx", "-arch", "sm_86", "-lineinfo", "-o", "-.ptx", folder=tmp_path)
    assert ptx.returncode == 0, ptx.stderr
    text = (tmp_path / "-.ptx").read_text()
    assert ".target sm_86" in text
    assert ".loc" in text


def test_openmp_in_host_code(build, tmp_path):
    openmp = pytest.importorskip("cuda.core._program._clang._openmp", reason="cuda.core has no device headers")
    (tmp_path / "threads.cu").write_text("""
        #include <cstdio>
        #include <omp.h>
        __global__ void add(int *to) { atomicAdd(to, 1); }
        int main() {
            int *count, threads = 0;
            cudaMallocManaged(&count, sizeof *count);
            #pragma omp parallel num_threads(3) reduction(+ : threads)
            {
                threads += omp_get_num_threads() == 3;
                add<<<1, 1>>>(count);
                cudaDeviceSynchronize();
            }
            std::printf("%d %d\\n", threads, *count);
        }
    """)
    if openmp.find([], []) is None:
        done = call("threads.cu", "-Xcompiler", "-Wall -fopenmp", folder=tmp_path)
        assert (done.returncode, done.stderr) == (2, f"python -m cuda.cpu cc: {openmp.MISSING}\n")
        pytest.skip("LLVM's OpenMP library is not installed")
    for options in (["-fopenmp", "-lgomp"], ["-Xcompiler", "-Wall -fopenmp"]):
        assert run(build("threads.cu", *options)) == "3 3\n"


def test_a_header_that_an_option_includes_sees_cuda(build, tmp_path):
    (tmp_path / "first.h").write_text("__device__ inline int twice(int x) { return max(2 * x, x); }")
    (tmp_path / "main.cu").write_text("""
        #include <cstdio>
        __global__ void print() { printf("%d\\n", twice(4)); }
        int main() { print<<<1, 1>>>(); return cudaDeviceSynchronize(); }
    """)
    assert run(build("main.cu", "-include", "first.h")) == "8\n"


def test_a_fatbin_for_the_driver_api(build, tmp_path):
    (tmp_path / "kernel.cu").write_text('extern "C" __global__ void fill(int *to) { to[threadIdx.x] = threadIdx.x; }')
    assert call("-fatbin", "kernel.cu", "-arch=sm_80", folder=tmp_path).returncode == 0
    (tmp_path / "load.cpp").write_text("""
        #include <cstdio>
        #include <cuda.h>
        #include <fstream>
        #include <iterator>
        #include <vector>
        int main() {
            std::ifstream file("kernel.fatbin", std::ios::binary);
            std::vector<char> image(std::istreambuf_iterator<char>(file), {});
            CUdevice device; CUcontext context; CUmodule module; CUfunction fill; CUdeviceptr to; int got[4];
            cuInit(0); cuDeviceGet(&device, 0); cuCtxCreate(&context, nullptr, 0, device);
            if (cuModuleLoadData(&module, image.data()) || cuModuleGetFunction(&fill, module, "fill")) return 1;
            cuMemAlloc(&to, sizeof got);
            void *arguments[] = {&to};
            cuLaunchKernel(fill, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr);
            cuMemcpyDtoH(got, to, sizeof got);
            std::printf("%d\\n", got[3]);
        }
    """)
    program = build("load.cpp")
    done = subprocess.run([program], cwd=tmp_path, capture_output=True, text=True, env=environment({}), timeout=100)
    assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr


def test_a_fault_ends_the_kernel_not_the_program(build, tmp_path):
    source = tmp_path / "fault.cu"
    source.write_text("""
        #include <cassert>
        #include <cstdio>
        __global__ void claim(int value) { assert(value == 1); }
        int main() {
            claim<<<1, 1>>>(2);
            std::printf("%s\\n", cudaGetErrorName(cudaDeviceSynchronize()));
        }
    """)
    assert run(build(source)) == "cudaErrorAssert\n"


def test_structures_have_the_sizes_of_the_runtime_api(tmp_path):
    needed = (name for name in runtime_abi.STRUCTS if name.startswith("cuda") and "Egl" not in name)
    sizes = {name: ctypes.sizeof(getattr(runtime_abi, name)) for name in needed}
    lines = [f'static_assert(sizeof({name}) == {size}, "{name}");' for name, size in sizes.items() if size]
    assert len(lines) > 60
    (tmp_path / "sizes.cu").write_text("\n".join(lines))
    done = call("-ptx", "sizes.cu", folder=tmp_path)
    assert done.returncode == 0, done.stderr


def test_structures_have_the_sizes_of_the_driver_api(tmp_path):
    left_out = re.compile("egl|_v1_", re.IGNORECASE)
    needed = [name for name in abi.STRUCTS if name.startswith("CU") and not left_out.search(name)]
    sizes = {name: ctypes.sizeof(getattr(abi, name)) for name in needed}
    lines = [f'static_assert(sizeof({name}) == {size}, "{name}");' for name, size in sizes.items() if size]
    assert len(lines) > 80
    (tmp_path / "sizes.cu").write_text("\n".join(["#include <cuda.h>", *lines]))
    done = call("-ptx", "sizes.cu", folder=tmp_path)
    assert done.returncode == 0, done.stderr


def test_what_does_not_compile_has_the_message_of_clang_once(tmp_path):
    (tmp_path / "wrong.cu").write_text("__global__ void f(int *x) { *x = unknown; }\nint main() {}\n")
    done = call("wrong.cu", folder=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("wrong.cu:1:34: error: use of undeclared identifier 'unknown'") == 1
    assert not (tmp_path / "a.out").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no input file; -h lists the options"),
        (("absent.cu",), "there is no file absent.cu"),
        (("file.f90",), "file.f90: not a .cu, .cpp, .c, .o, .a or .so file"),
        (("file.cu", "-frobnicate", "-o"), "-o lacks its value"),
        (
            ("file.cu", "-qfrobnicate"),
            "-qfrobnicate is not an option of cc; for the host compiler: -Xcompiler -qfrobnicate",
        ),
        (("file.cu", "-rdc=maybe"), "-rdc is 'maybe': give true or false"),
        (("file.cu", "-dlink"), "-dlink: device code is linked when the program starts; link the objects by cc"),
        (("file.cu", "--generate-code", "code=sm_90"), "-gencode is 'code=sm_90': give arch=compute_NN,code=sm_NN"),
        (("file.cu", "-gencode", "arch=compute_60,code=sm_60"), "this compiler knows 75, 80"),
        (("file.cu", "-x", "rust"), "-x is 'rust': give cu, cuda, c++ or c"),
        (("file.cu", "-lib"), "-lib: use -c, then ar"),
        (("file.cu", "-arch=sm_20"), "sm_20"),
        (("file.cu", "-fopenmp=libgomp"), "-fopenmp=libgomp: clang's code calls LLVM's OpenMP library; use -fopenmp"),
        (("file.cu", "-fmad=maybe"), "-fmad is 'maybe': give true or false"),
        (("file.cu", "-o", "./file.cu"), "-o ./file.cu would overwrite an input file"),
        (("-c", "file.cu", "more.cu", "-o", "x.o"), "-c with -o needs exactly one source file"),
    ],
)
def test_wrong_command_lines(tmp_path, arguments, message):
    for name in ("file.cu", "more.cu", "file.f90"):
        (tmp_path / name).touch()
    done = call(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("python -m cuda.cpu cc: ")
    assert message in done.stderr


def test_what_is_missing_is_named(tmp_path, monkeypatch, capsys):
    (tmp_path / "file.cu").touch()
    done = call("file.cu", folder=tmp_path, CUDA_PYTHON_CLANG=os.devnull)
    assert done.returncode == 2
    assert "pip install 'open-cuda-python[open]'" in done.stderr
    monkeypatch.setattr(cc, "COMPILER", "cuda.core.absent.module")  # as with NVIDIA's cuda.core
    assert cc.main(["file.cu"]) == 2
    assert "needs cuda.core of open-cuda-python" in capsys.readouterr().err


def test_help_and_commands(tmp_path):
    assert "usage: python -m cuda.cpu cc FILE..." in call("--help", folder=tmp_path).stdout
    (tmp_path / "file.cu").touch()
    done = call("-v", "-ptx", "file.cu", folder=tmp_path)
    assert "--cuda-device-only" in done.stderr
    assert "clang version" in call("--version", folder=tmp_path).stdout
