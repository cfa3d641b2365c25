# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Fat binaries: making them, and the entry that a device loads."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.scripts import run_checked

from cuda.core import CUDAError, LaunchConfig, NvFatbinError, ObjectCode, Program, ProgramOptions, launch
from cuda.core.utils import make_fatbin

pytestmark = [pytest.mark.needs_nvrtc, pytest.mark.needs_nvfatbin]

SOURCE = 'extern "C" __global__ void which(int *x) { *x = __CUDA_ARCH__; }'


def compiled(arch, target="ptx", **options):
    return Program(SOURCE, "c++", ProgramOptions(arch=arch, name=arch, **options)).compile(target)


def test_a_fat_binary_runs(device, stream, upload, host, tmp_path):
    fat = make_fatbin(compiled("compute_75"), compiled(f"sm_{device.arch}", "cubin"), name="both")
    assert (fat.code_type, fat.name) == ("fatbin", "both")
    (tmp_path / "both.fatbin").write_bytes(fat.code)
    for code in (fat, ObjectCode.from_fatbin(tmp_path / "both.fatbin"), ObjectCode.from_fatbin(fat.code)):
        with upload(np.zeros(1, "i4")) as data:
            launch(stream, LaunchConfig(grid=1, block=1), code.get_kernel("which"), data)
            assert host(data, "i4")[0] == int(device.arch) * 10
    with pytest.raises(TypeError, match=r"argument 1 .* is a float"):  # the types of the parameters are known
        launch(stream, LaunchConfig(grid=1, block=1), fat.get_kernel("which"), 1.0)


@pytest.mark.cpu_only
@pytest.mark.parametrize(
    ("capability", "taken"), [("7.5", 750), ("8.6", 800), ("8.9", 890), ("9.0", 890), ("10.0", 890), ("12.0", 890)]
)
def test_the_best_entry_for_the_device_is_loaded(capability, taken, tmp_path):
    """That is machine code for the device or its family, else the PTX for the newest architecture that it can run."""
    entries = [compiled("sm_75", "cubin"), compiled("compute_80"), compiled("sm_89", "cubin"), compiled("compute_89")]
    path = tmp_path / "x.fatbin"
    path.write_bytes(make_fatbin(*entries, compress=taken != 800).code)
    said = run_checked(
        f"""
        import numpy as np
        from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, ObjectCode, launch

        device = Device()
        device.set_current()
        stream = device.default_stream
        with LegacyPinnedMemoryResource().allocate(4, stream=stream) as data:
            kernel = ObjectCode.from_fatbin({str(path)!r}).get_kernel("which")
            launch(stream, LaunchConfig(grid=1, block=1), kernel, data)
            stream.sync()
            print(np.from_dlpack(data).view(np.int32)[0])
        """,
        CUDA_CPU_CAPABILITY=capability,
    )
    assert int(said) == taken


@pytest.mark.cpu_only
def test_a_fatbin_without_an_entry_for_the_device():
    with pytest.raises(CUDAError, match="CUDA_ERROR_NO_BINARY_FOR_GPU"):
        make_fatbin(compiled("sm_120", "cubin")).get_kernel("which")


def test_names_of_templates(device):
    source = "template <class T> __global__ void set(T *x) { *x = 1; }"
    parts = [
        Program(source, "c++", ProgramOptions(arch=arch)).compile("ptx", ["set<float>"])
        for arch in ("compute_75", "compute_90")
    ]
    assert make_fatbin(*parts).get_kernel("set<float>").num_arguments == 1


def test_code_of_unknown_architecture_needs_an_explicit_one():
    options = {"relocatable_device_code": True}
    lto = compiled("sm_90", "ltoir", **options)
    assert make_fatbin((lto, "sm_90")).code
    assert make_fatbin((compiled("sm_90a", "cubin"), "sm_90a"), compiled("compute_90a")).code
    with pytest.raises(ValueError, match=r"^<ObjectCode 'sm_90': ltoir> does not tell its architecture: give a pair"):
        make_fatbin(lto)
    with pytest.raises(ValueError, match=r"does not tell its architecture"):
        make_fatbin(ObjectCode.from_cubin(b"\x7fELF"))
    with pytest.raises(ValueError, match=r"must be such as 'sm_90', not '90'$"):
        make_fatbin((lto, "90"))


def test_wrong_arguments():
    with pytest.raises(ValueError, match=r"^give one or more ObjectCodes to put into the fat binary$"):
        make_fatbin()
    with pytest.raises(TypeError, match=r"^make_fatbin takes ObjectCodes, or pairs \(ObjectCode, arch\), not bytes$"):
        make_fatbin(b"x")
    with pytest.raises(ValueError, match=r"^a fat binary is made of ptx, cubin or ltoir, not of fatbin$"):
        make_fatbin(ObjectCode.from_fatbin(b"x"))
    expected = "ERROR_ELF_ARCH_MISMATCH (2) (nvFatbin)\nThe code was: cubin for sm_75"
    with pytest.raises(NvFatbinError, match=re.escape(expected)):
        make_fatbin((compiled("sm_90", "cubin"), "sm_75"))
