# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import inspect
import warnings

import pytest

from cuda.bindings import _loader, driver, nvvm, utils

SIGNATURES = {
    "check_nvvm_compiler_options": "(options)",
    "envvar_bool": "(name, default=False)",
    "get_cuda_native_handle": "(obj)",
    "get_minimal_required_cuda_ver_from_ptx_ver": "(ptx_version)",
    "get_ptx_ver": "(ptx)",
    "warn_if_cuda_major_version_mismatch": "()",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_are_those_of_nvidias_package(name):
    signature = inspect.signature(getattr(utils, name))
    plain = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
    assert str(signature.replace(parameters=plain, return_annotation=signature.empty)) == SIGNATURES[name]


def test_native_handles():
    assert utils.get_cuda_native_handle(driver.CUstream(0x1234)) == 0x1234
    assert utils.get_cuda_native_handle(driver.CUdevice(-1)) == -1
    for wrong in (0x1234, None, driver.CUextent3D()):
        with pytest.raises(TypeError, match=r"obj must be a handle of cuda\.bindings such as CUstream, not"):
            utils.get_cuda_native_handle(wrong)


@pytest.mark.parametrize(
    ("ptx", "cuda"),
    [("1.0", 1000), ("6.5", 10020), ("7.0", 11000), ("7.8", 11080), ("8.5", 12050), ("8.6", 12070), ("9.5", 13050)],
)
def test_cuda_version_of_a_ptx_version(ptx, cuda):
    assert utils.get_minimal_required_cuda_ver_from_ptx_ver(ptx) == cuda


@pytest.mark.parametrize("ptx", ["", "9", "9.0.0", "0.9", "7.9", "99.0", "-1.0"])
def test_unknown_ptx_version(ptx):
    with pytest.raises(ValueError, match=r"is unknown; versions from 1\.0 to 9\.5 are known"):
        utils.get_minimal_required_cuda_ver_from_ptx_ver(ptx)


def test_version_of_ptx_code():
    assert utils.get_ptx_ver("//\n// .version 1.0\n\n.version 9.5\n.target sm_75\n") == "9.5"
    with pytest.raises(ValueError, match=r"ptx has no \.version directive; it begins with 'int main'"):
        utils.get_ptx_ver("int main")


@pytest.mark.parametrize(("text", "value"), [("1", True), ("Yes", True), ("0", False), ("", False), ("off", False)])
def test_environment_variable(monkeypatch, text, value):
    monkeypatch.setenv("OPEN_CUDA_TEST", text)
    assert utils.envvar_bool("OPEN_CUDA_TEST", not value) is value
    monkeypatch.delenv("OPEN_CUDA_TEST")
    assert utils.envvar_bool("OPEN_CUDA_TEST", True) is True
    monkeypatch.setenv("OPEN_CUDA_TEST", "maybe")
    with pytest.raises(ValueError, match="OPEN_CUDA_TEST is 'maybe'; set it to 1 or 0"):
        utils.envvar_bool("OPEN_CUDA_TEST")


@pytest.mark.needs_nvvm
def test_options_of_nvvm():
    assert utils.check_nvvm_compiler_options(["-arch=compute_90", "-opt=3"])
    assert utils.check_nvvm_compiler_options(["-arch=compute_100"])
    assert utils.check_nvvm_compiler_options([])
    assert not utils.check_nvvm_compiler_options(["-no-such-option"])
    with pytest.raises(TypeError, match="options must be a sequence of str, not str"):
        utils.check_nvvm_compiler_options("-opt=3")


def test_options_without_nvvm(monkeypatch):
    def absent():
        raise _loader.LibraryNotFound

    monkeypatch.setattr(nvvm, "create_program", absent)
    assert not utils.check_nvvm_compiler_options([])


def test_warning_for_an_old_driver(monkeypatch):
    success = driver.CUresult.CUDA_SUCCESS
    monkeypatch.setattr(utils, "_compared", False)
    monkeypatch.setattr(driver, "cuDriverGetVersion", lambda: (success, 12040))
    with pytest.warns(UserWarning, match="cuda.bindings is for CUDA 13, but the driver supports CUDA 12"):
        utils.warn_if_cuda_major_version_mismatch()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        utils.warn_if_cuda_major_version_mismatch()
        monkeypatch.setattr(utils, "_compared", False)
        monkeypatch.setattr(driver, "cuDriverGetVersion", lambda: (success, 13000))
        utils.warn_if_cuda_major_version_mismatch()
