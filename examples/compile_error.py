# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Show the error for a mistake in a kernel's source, then correct it. Compiling needs neither a GPU nor a driver."""

from cuda.core import Program, ProgramOptions

SOURCE = r"""
extern "C" __global__ void scale(float *x, float factor, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        x[i] *= facter;
}
"""


def compile_scale(source):
    return Program(source, code_type="c++", options=ProgramOptions(name="scale.cu", arch="sm_90")).compile("ptx")


def main():
    try:
        compile_scale(SOURCE)
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
    else:
        raise SystemExit("NVRTC accepted an unknown name")

    ptx = compile_scale(SOURCE.replace("facter", "factor"))
    assert b".entry scale" in ptx.code
    print(f"compile_error: the corrected source compiles to {len(ptx.code)} bytes of PTX")


if __name__ == "__main__":
    main()
