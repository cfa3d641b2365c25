# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Enumerations of the bindings: integers whose text is their name."""

import importlib
import json
import pickle

import pytest

MEMBERS = {
    "driver": "CUresult.CUDA_ERROR_INVALID_VALUE",
    "runtime": "cudaError_t.cudaErrorInvalidValue",
    "nvrtc": "nvrtcResult.NVRTC_ERROR_OUT_OF_MEMORY",
    "nvjitlink": "Result.ERROR_UNRECOGNIZED_OPTION",
    "nvml": "Return.ERROR_UNINITIALIZED",
}


@pytest.mark.parametrize(("api", "path"), MEMBERS.items())
def test_text_names_the_member(api, path):
    name, member = path.split(".")
    value = getattr(getattr(importlib.import_module(f"cuda.bindings.{api}"), name), member)
    assert str(value) == repr(value) == f"{value}" == "%s" % value == f"<{path}: 1>"  # noqa: UP031
    assert (f"{value:d}", f"{value:>3}", f"{value:#x}") == ("1", "  1", "0x1")
    assert (json.dumps(value), value + 1, value == 1, hash(value)) == ("1", 2, True, hash(1))
    assert pickle.loads(pickle.dumps(value)) is value
