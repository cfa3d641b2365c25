# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The C shell, built as a library and called through the C ABI, with substitute Python functions."""

import ctypes
import os
import pathlib
import subprocess
import sys
import sysconfig
import textwrap

import pytest

from codegen import abi_types, roles, versions, write_shell

ENTRY = pathlib.Path(__file__).parents[2] / "cuda_cpu/cuda/cpu/entry"
PROGRAM = pathlib.Path(__file__).parent / "shell_program.py"
COMPILER = os.environ.get("CC", "cc").split()


@pytest.fixture(scope="module")
def build(tmp_path_factory, libraries, every_symbol):
    """Return a function that builds the shell from what the generator gives now and returns its path."""
    folder = tmp_path_factory.mktemp("shell")
    (folder / "_shell.c").write_text(write_shell.render(libraries["driver"], every_symbol))
    written = [each for each in sorted(ENTRY.glob("*.c")) if each.name != "_shell.c"]
    sources = [folder / "_shell.c", *written]
    include = [f"-I{ENTRY}", f"-I{sysconfig.get_paths()['include']}"]
    flags = ["-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-Wl,-soname,libcuda.so.1", "-pthread"]

    def build(name, *more):
        subprocess.run([*COMPILER, *flags, *more, *include, *sources, "-o", folder / name], check=True)
        return folder / name

    return build


@pytest.fixture(scope="module")
def library(build):
    return build("libcuda.so.1")


@pytest.fixture
def run(library):
    """Return a function that runs statements over the shell in a process of its own and returns what they print."""

    def run(statements, *, error="", code=0):
        command = [sys.executable, PROGRAM, library, textwrap.dedent(statements)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert (done.returncode, error in done.stderr) == (code, True), done.stderr
        return done.stdout.split("\n")[:-1]

    return run


def test_every_symbol_of_the_headers_is_exported(library, libraries, every_symbol):
    opened = ctypes.CDLL(str(library))
    wanted = set(every_symbol.functions)
    for function in libraries["driver"].functions.values():
        wanted |= {function.symbol} | ({function.per_thread} if function.per_thread else set())
    assert [symbol for symbol in sorted(wanted) if not hasattr(opened, symbol)] == []
    assert not hasattr(opened, "shell_call")  # nothing else is


def test_each_version_of_a_function_has_a_python_function(libraries, every_symbol):
    public = libraries["driver"]
    names = {
        symbol: write_shell.python_name(public, every_symbol, function)
        for symbol, function in every_symbol.functions.items()
    }
    assert {
        symbol: names[symbol] for symbol in ("cuMemAlloc_v2", "cuMemAlloc", "cuCtxCreate_v4", "cuCtxCreate_v2")
    } == {
        "cuMemAlloc_v2": "cuMemAlloc",
        "cuMemAlloc": "cuMemAlloc_v1",  # 32-bit device pointers
        "cuCtxCreate_v4": "cuCtxCreate",
        "cuCtxCreate_v2": "cuCtxCreate_v2",
    }
    assert names["cuStreamDestroy"] == names["cuStreamDestroy_v2"] == "cuStreamDestroy"  # the same arguments
    assert names["cuStreamSynchronize_ptsz"] == "cuStreamSynchronize"
    assert names["cuMemcpyHtoD_v2_ptds"] == "cuMemcpyHtoD"
    assert names["cuGraphInstantiateWithFlags"] == "cuGraphInstantiate"


def test_outputs_are_stored_with_their_width(run):
    assert run("""
        provide(cuMemAlloc=record(0x7F00_1234_5678), cuDeviceGet=record(-3), cuMemGetInfo=record((5, 2**64 - 1)),
                cuEventElapsedTime=record(1.5))
        words = (ctypes.c_uint32 * 4)(*[0xAAAAAAAA] * 4)
        print(library.cuMemAlloc_v2(words, size(64)), [hex(word) for word in words])
        device = i32()
        print(library.cuDeviceGet(ref(device), 7), device.value)
        free, total = u64(), u64()
        print(library.cuMemGetInfo_v2(ref(free), ref(total)), free.value, total.value)
        time = ctypes.c_float()
        print(library.cuEventElapsedTime(ref(time), pointer(1), pointer(2)), time.value)
        print(calls)
    """) == [
        "0 ['0x12345678', '0x7f00', '0xaaaaaaaa', '0xaaaaaaaa']",
        "0 -3",
        f"0 5 {2**64 - 1}",
        "0 1.5",
        "[(64,), (7,), (), (1, 2)]",
    ]


def test_inputs_of_every_kind(run):
    assert run("""
        provide(cuModuleGetFunction=record(1), cuParamSetf=record(), cuIpcOpenMemHandle=record(2),
                cuLaunchKernel=record(), cuMemAdvise=record())
        out = u64()
        library.cuModuleGetFunction(ref(out), pointer(5), b"name")
        library.cuModuleGetFunction(ref(out), pointer(5), None)
        library.cuParamSetf.argtypes = [pointer, i32, ctypes.c_float]
        library.cuParamSetf(None, -1, 0.25)
        class Handle(ctypes.Structure):
            _fields_ = [("bytes", ctypes.c_char * 64)]
        library.cuIpcOpenMemHandle_v2.argtypes = [pointer, Handle, ctypes.c_uint]
        library.cuIpcOpenMemHandle_v2(ctypes.addressof(out), Handle(b"x" * 64), 9)
        class Location(ctypes.Structure):
            _fields_ = [("type", i32), ("id", i32)]
        library.cuMemAdvise_v2.argtypes = [u64, size, i32, Location]
        library.cuMemAdvise_v2(2**63, 8, 3, Location(1, -2))
        library.cuLaunchKernel(pointer(1), 2, 3, 4, 5, 6, 7, 8, pointer(9), pointer(10), pointer(11))
        print(*calls, sep="\\n")
    """) == [
        "(5, b'name')",
        "(5, None)",
        "(0, -1, 0.25)",
        f"({b'x' * 64}, 9)",
        f"({2**63}, 8, 3, {(1).to_bytes(4, 'little') + (-2).to_bytes(4, 'little', signed=True)})",
        "(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)",
    ]


def test_per_thread_variants_turn_stream_0_into_the_per_thread_stream(run):
    assert run("""
        provide(cuStreamSynchronize=record(), cuMemcpyHtoDAsync=record())
        def launch(config, *rest):
            calls.append(u64.from_address(config + 32).value)
        def instantiate(graph, parameters):
            calls.append(u64.from_address(parameters + 8).value)
            u64.from_address(parameters + 16).value = 77
            return 1
        provide(cuLaunchKernelEx=launch, cuGraphInstantiateWithParams=instantiate)
        library.cuStreamSynchronize_ptsz(None)
        library.cuStreamSynchronize_ptsz(pointer(99))
        library.cuStreamSynchronize(None)
        library.cuMemcpyHtoDAsync_v2_ptsz(u64(1), pointer(2), size(3), None)
        config = (u64 * 7)()
        library.cuLaunchKernelEx_ptsz(config, None, None, None)
        parameters = (u64 * 4)()
        library.cuGraphInstantiateWithParams_ptsz(ref(u64()), None, parameters)
        print(calls, list(config), list(parameters))
    """) == ["[(2,), (99,), (0,), (1, 2, 3, 2), 2, 2] [0, 0, 0, 0, 0, 0, 0] [0, 0, 77, 0]"]


def test_null_outputs_are_refused_before_the_call(run):
    assert run("""
        provide(cuMemAlloc=record(1), cuModuleGetGlobal=record((1, 2)))
        print(library.cuMemAlloc_v2(None, size(1)), calls)
        out = u64()
        print(library.cuModuleGetGlobal_v2(None, ref(out), None, b"x"), out.value)
    """) == ["1 []", "0 2"]


def test_failures_become_statuses(run):
    assert run("""
        provide(cuInit=fail(CudaError(101)), cuCtxSynchronize=fail(MemoryError()))
        print(library.cuInit(0), library.cuCtxSynchronize(), library.cuStreamQuery(None))
        opened = ctypes.PyDLL(sys.argv[1])  # keeps the GIL, and so the caller's exception state in view
        provide(cuStreamSynchronize=fail(KeyboardInterrupt()))
        try:
            status = opened.cuStreamSynchronize(None)
            for _ in range(1000): pass
        except KeyboardInterrupt:
            print("interrupted")
    """) == ["101 2 801", "interrupted"]


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        ("fail(ValueError('broken'))", "ValueError: broken"),
        ("record()", "TypeError"),
        ("record(2**64)", "OverflowError"),
        ("record(-(2**63) - 1)", "does not fit an output of 64 bits"),
        ("record((1, 2))", "TypeError"),
        ("fail(CudaError(0))", ""),  # a failure that says success
        ("fail(CudaError('text'))", ""),
    ],
)
def test_errors_in_python_functions_are_reported_and_store_nothing(run, function, complaint):
    printed = run(
        f"provide(cuMemAlloc={function}); out = u64(5); print(library.cuMemAlloc_v2(ref(out), size(1)), out.value)",
        error=complaint,
    )
    assert printed == ["999 5"]


def test_calls_do_not_leak(run):
    run("""
        import gc
        provide(cuModuleGetFunction=lambda module, name: 2**60, cuMemGetInfo=lambda: (2**60, 2**61),
                cuDeviceGetCount=lambda: "no number", cuCtxGetId=fail(CudaError(201)))
        sys.unraisablehook = lambda *_: None
        out = (u64 * 2)()
        def use():
            assert library.cuModuleGetFunction(out, pointer(5), b"a name of some length") == 0
            assert library.cuMemGetInfo_v2(out, ref(out, 8)) == 0
            assert library.cuDeviceGetCount(out) == 999
            assert library.cuCtxGetId(None, out) == 201
        def blocks():
            gc.collect()
            return sys.getallocatedblocks()
        for turn in range(3):  # the interpreter keeps something of what runs often
            before = blocks()
            for _ in range(1000): use()
        assert blocks() - before < 10
    """)


def test_outputs_are_all_stored_or_none(run):
    printed = run("""
        provide(cuDeviceComputeCapability=record((9, 2**32)))
        major, minor = i32(1), i32(2)
        print(library.cuDeviceComputeCapability(ref(major), ref(minor), 0), major.value, minor.value)
    """, error="does not fit an output of 32 bits")  # fmt: skip
    assert printed == ["999 1 2"]


def test_a_pending_exception_of_the_caller_survives(run):
    assert run("""
        opened = ctypes.PyDLL(sys.argv[1])
        provide(cuInit=fail(CudaError(1)))
        class Held:
            def __del__(self):
                print(opened.cuInit(0))
        def body():
            held = Held()
            raise LookupError("kept")
        try:
            body()
        except LookupError as caught:
            print(caught, caught.__context__)
            caught.__traceback__ = None
            del caught
    """) == ["kept None", "1"]


def test_threads_that_python_does_not_know_may_call(run, tmp_path):
    source = tmp_path / "thread.c"
    source.write_text("""
        #include <pthread.h>
        static void *body(void *function) { return (void *)(long)((int (*)(unsigned))function)(7); }
        long call_from_thread(void *function) {
            pthread_t thread; void *result;
            pthread_create(&thread, 0, body, function);
            pthread_join(thread, &result);
            return (long)result;
        }
    """)
    target = tmp_path / "libthread.so"
    subprocess.run([*COMPILER, "-shared", "-fPIC", source, "-o", target, "-pthread"], check=True)
    assert run(f"""
        provide(cuInit=record())
        helper = ctypes.CDLL({str(target)!r})
        print(helper.call_from_thread(ctypes.cast(library.cuInit, pointer)), calls)
    """) == ["0 [(7,)]"]


def test_a_forked_child_is_refused_once_the_driver_was_used(run):
    assert run("""
        import os
        provide(cuInit=record())
        def in_child():
            sys.stdout.flush()
            child = os.fork()
            if not child:
                os._exit(library.cuInit(0))
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        before = in_child()
        library.cuInit(0)
        print(before, in_child(), library.cuInit(0))
    """) == ["0 3 0"]


def test_calls_after_finalisation_do_not_use_python(run, tmp_path):
    source = tmp_path / "late.c"
    source.write_text("""
        #include <stdio.h>
        #include <stdlib.h>
        static int (*late)(unsigned);
        static void report(void) { printf("%d\\n", late(0)); }
        void call_at_exit(void *function) { late = function; atexit(report); }
    """)
    target = tmp_path / "liblate.so"
    subprocess.run([*COMPILER, "-shared", "-fPIC", source, "-o", target], check=True)
    printed = run(f"""
        import atexit
        provide(cuInit=record())
        library.cuInit(0)
        helper = ctypes.CDLL({str(target)!r})
        helper.call_at_exit(ctypes.cast(library.cuInit, pointer))
        atexit.register(lambda: print(library.cuInit(0), flush=True))
        class Late:
            def __init__(self): self.call, self.write = library.cuInit, __import__("os").write
            def __del__(self): self.write(1, b"%d\\n" % self.call(0))
        sys.late = Late()
    """)
    # An atexit function may still call; a destructor at finalisation and C's own exit may not.
    assert printed == ["0", "4", "4"]


def test_a_process_without_python_gets_a_status(library, tmp_path):
    source = tmp_path / "plain.c"
    source.write_text("""
        #include <dlfcn.h>
        #include <stdio.h>
        int main(int count, char **arguments) {
            (void)count;
            void *library = dlopen(arguments[1], RTLD_NOW);
            if (!library) return puts(dlerror()), 1;
            int (*init)(unsigned) = (int (*)(unsigned))dlsym(library, "cuInit");
            int (*name)(int, const char **) = (int (*)(int, const char **))dlsym(library, "cuGetErrorName");
            const char *text = 0;
            int status = init(0), known = name(status, &text);
            printf("%d %d %s\\n", status, known, text);
            return 0;
        }
    """)
    program = tmp_path / "plain"
    subprocess.run([*COMPILER, source, "-o", program, "-ldl"], check=True)
    done = subprocess.run([program, library], capture_output=True, text=True)
    assert done.stdout == "3 0 CUDA_ERROR_NOT_INITIALIZED\n"


def test_another_interpreter_is_refused(build):
    other = build("libother.so", f"-DSHELL_PYTHON={(sys.version_info.major << 8) + sys.version_info.minor + 1}")
    program = "provide(cuInit=record()); print(library.cuInit(0), library.cuInit(0), calls)"
    done = subprocess.run([sys.executable, PROGRAM, other, program], capture_output=True, text=True)
    assert done.stdout == "803 803 []\n"
    assert done.stderr.count("was built for Python") == 1


PROC_ADDRESS = """
def ask(name, version, flags=0):
    out, found = pointer(), i32(9)
    status = library.cuGetProcAddress_v2(name, ref(out), version, u64(flags), ref(found))
    return status, out.value, found.value
def address(symbol):
    return ctypes.cast(getattr(library, symbol), pointer).value
"""


def test_proc_address_returns_the_symbol_of_the_version(run):
    run(
        PROC_ADDRESS
        + textwrap.dedent("""
        assert ask(b"cuMemAlloc", 2000) == (0, address("cuMemAlloc"), 0)
        assert ask(b"cuMemAlloc", 3010) == (0, address("cuMemAlloc"), 0)
        assert ask(b"cuMemAlloc", 13050) == (0, address("cuMemAlloc_v2"), 0)
        assert ask(b"cuCtxGetDevice", 12090) == (0, address("cuCtxGetDevice"), 0)
        assert ask(b"cuCtxGetDevice", 13000) == (0, address("cuCtxGetDevice_v2"), 0)
        assert ask(b"cuGraphInstantiate", 11080) == (0, address("cuGraphInstantiate_v2"), 0)
        assert ask(b"cuGraphInstantiate", 12000) == (0, address("cuGraphInstantiateWithFlags"), 0)
        assert ask(b"cuStreamSynchronize", 12000, 1) == (0, address("cuStreamSynchronize"), 0)
        assert ask(b"cuStreamSynchronize", 12000, 2) == (0, address("cuStreamSynchronize_ptsz"), 0)
        assert ask(b"cuStreamSynchronize", 6050, 2) == (0, address("cuStreamSynchronize"), 0)
        assert ask(b"cuInit", 12000, 2) == (0, address("cuInit"), 0)
        assert ask(b"cuNoSuchThing", 12000) == (0, None, 1)
        assert ask(b"cuMemAlloc", 1000) == (0, None, 2)
        assert ask(b"cuMemAlloc", 99000)[0] == ask(b"cuMemAlloc", 12000, 4)[0] == ask(None, 12000)[0] == 1
        out = pointer()
        assert library.cuGetProcAddress_v2(b"cuInit", ref(out), 12000, u64(0), None) == 0 and out.value
        assert library.cuGetProcAddress(b"cuInit", ref(out), 12000, u64(0)) == 0 and out.value
        assert library.cuGetProcAddress(b"cuNoSuchThing", ref(out), 12000, u64(0)) == 500
        """)
    )


def test_proc_address_knows_every_public_function(run, libraries):
    rows = [
        (versions.split(function.symbol)[0], function.version, function.symbol)
        for function in libraries["driver"].functions.values()
    ]
    run(
        PROC_ADDRESS
        + f"for name, version, symbol in {rows!r}:\n"
        + "    assert ask(name.encode(), version) == (0, address(symbol), 0), symbol\n"
    )


def test_error_names_and_texts(run, libraries):
    statuses = {member.value: member.name for member in libraries["driver"].enums["CUresult"].members}
    run(f"""
        out = ctypes.c_char_p()
        for value, name in {statuses!r}.items():
            assert library.cuGetErrorName(value, ref(out)) == 0 and out.value == name.encode()
            assert library.cuGetErrorString(value, ref(out)) == 0 and out.value
        assert library.cuGetErrorString(2, ref(out)) == 0 and out.value == b"out of memory"
        assert library.cuGetErrorString(700, ref(out)) == 0 and out.value == b"an illegal memory access was encountered"
        assert library.cuGetErrorString(917, ref(out)) == 0 and out.value == b"stream detached"
        assert library.cuGetErrorName(12345, ref(out)) == 1 and out.value is None
        assert library.cuGetErrorName(0, None) == library.cuGetErrorString(0, None) == 1
    """)


def test_small_structs_with_floats_are_refused(read):
    text = """
        typedef enum { CUDA_SUCCESS = 0 } CUresult;
        typedef struct { float x, y; } xyPair;
        CUresult xyUse(xyPair pair);
    """
    library = roles.assign(read(text), {})
    with pytest.raises(TypeError, match=r"xyUse: xyPair goes in floating-point registers"):
        write_shell.value_structs(library)


def test_sizes_of_the_abi(libraries):
    driver = libraries["driver"]
    for name, struct in driver.structs.items():
        for field in struct.fields:
            assert abi_types.size_of(driver, field.type) == field.size, (name, field.name)
