# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What lets us take the place of NVIDIA's packages: metadata-only distributions, private names, the warning."""

import email
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

import cuda.core
from cuda.bindings import _conflict_report, _conflicts, driver, nvrtc
from cuda.bindings._internal import _fast_enum, nvjitlink, nvvm
from cuda.bindings._internal.utils import NotSupportedError
from cuda.bindings._loader import library_path
from cuda.core import CUDAError, Device
from cuda.core._utils import cuda_utils
from cuda.core.graph import GraphBuilder

COMPAT = pathlib.Path(__file__).parents[2] / "compat"


@pytest.mark.parametrize(
    ("name", "version"), [("cuda-core", "1.2.2"), ("cuda-bindings", "13.5.0"), ("cuda-python", "13.5.0")]
)
def test_a_distribution_holds_metadata_alone_and_is_known_as_ours(tmp_path, name, version):
    source = shutil.copytree(COMPAT / name, tmp_path / name)
    build = "import setuptools.build_meta as b, sys; b.build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, str(tmp_path)], cwd=source, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        info = f"{name.replace('-', '_')}-{version}.dist-info"
        assert all(file.startswith(info) for file in archive.namelist())
        metadata = email.message_from_bytes(archive.read(f"{info}/METADATA"))
        archive.extractall(tmp_path / "site")
    assert (metadata["Name"], metadata["Version"]) == (name, version)
    assert "open-cuda-python" in metadata.get_all("Requires-Dist")
    assert "Private :: Do Not Upload" in metadata.get_all("Classifier")
    assert _conflicts.foreign(str(tmp_path / "site")) == []


def test_nvidias_distributions_are_named_in_one_warning(tmp_path, recwarn):
    _conflicts.check(str(tmp_path))
    assert not recwarn
    for name in ("cuda_core-1.2.2", "cuda_bindings-13.5.0", "cuda_pathfinder-1.3.0"):
        (tmp_path / f"{name}.dist-info").mkdir()
    with pytest.warns(RuntimeWarning, match="pip uninstall cuda-bindings cuda-core'"):
        _conflicts.check(str(tmp_path))
    assert _conflicts.foreign(str(tmp_path / "absent")) == []


def test_a_package_without_files_is_named_beside_others_only(tmp_path):
    (tmp_path / "cuda_python-13.5.0.dist-info").mkdir()
    assert _conflicts.foreign(str(tmp_path)) == []
    (tmp_path / "cuda_bindings-13.5.0.dist-info").mkdir()
    assert _conflicts.foreign(str(tmp_path)) == ["cuda-bindings", "cuda-python"]


@pytest.fixture
def site(tmp_path):
    """A folder like site-packages with our Python files, and extension modules that have no more than their names."""
    for package, file in (("bindings", driver.__file__), ("core", cuda.core.__file__)):
        source = pathlib.Path(file).parent  # as it is installed: the checkout may not be compiled
        shutil.copytree(source, tmp_path / "cuda" / package, ignore=shutil.ignore_patterns("*.so", "*.c", "*.py[xi]"))
        for module in source.rglob("*.so"):
            (tmp_path / "cuda" / package / module.relative_to(source)).write_bytes(b"cuda.bindings._cython_utility")
    return tmp_path


def check(site, package):
    """Import a package of `site` alone; return the last line of what went wrong."""
    code = f"import sys; sys.path.insert(0, {str(site)!r}); import cuda.{package}"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, cwd=site, timeout=60)
    return done.stderr.strip().rpartition("\n")[2] if done.returncode else done.stderr.strip()


def install_theirs(site, name, files):
    (site / f"{name}-1.0.dist-info").mkdir()
    for file in files:
        (site / file).parent.mkdir(exist_ok=True)
        (site / file).write_bytes(b"another package")


def test_our_files_alone_are_quiet(site):
    assert check(site, "bindings") == check(site, "core") == ""
    assert _conflict_report.mixed(str(site)) == []


@pytest.mark.parametrize("package", ["bindings", "core"])
def test_modules_of_theirs_in_the_place_of_ours_fail_the_import(site, package):
    driver_file = next((site / "cuda/bindings").glob("driver.*.so"))
    install_theirs(site, "cuda_bindings", [driver_file, site / "cuda/bindings/_bindings/x.so"])
    said = check(site, package)
    assert "ImportError: files of NVIDIA's cuda-bindings are mixed with those of open-cuda-python" in said
    assert "(cuda/bindings/_bindings/x, cuda/bindings/driver)" in said
    assert "run 'pip uninstall cuda-bindings', then 'pip install --force-reinstall --no-deps open-cuda-python'" in said
    assert "'pip uninstall open-cuda-python', then 'pip install --force-reinstall --no-deps cuda-bindings'" in said


@pytest.mark.parametrize("package", ["bindings", "core"])
def test_their_package_file_of_bindings_does_not_hide_the_mixture(site, package):
    """Their `__init__.py` replaced ours; of the two, cuda.core is then the one that notices."""
    driver_file = next((site / "cuda/bindings").glob("driver.*.so"))
    install_theirs(site, "cuda_bindings", [driver_file])
    (site / "cuda/bindings/__init__.py").write_text("")
    assert ("ImportError: files of NVIDIA's cuda-bindings" in check(site, package)) == (package == "core")


def test_modules_that_hide_ours_are_found(site):
    install_theirs(site, "cuda_core", [site / "cuda/core/_program.abi3.so", site / "cuda/core/_errors/__init__.py"])
    assert _conflict_report.mixed(str(site)) == ["cuda/core/_errors", "cuda/core/_program"]


def test_files_of_theirs_that_ours_replaced_are_warned_of_alone(site):
    install_theirs(site, "cuda_core", [site / "cuda/core/only_theirs.py"])
    assert "RuntimeWarning: NVIDIA's cuda-core and open-cuda-python are installed together" in check(site, "core")


def test_a_result_gives_its_values():
    success = driver.CUresult.CUDA_SUCCESS
    assert cuda_utils.handle_return((success,)) is None
    assert cuda_utils.handle_return((success, 7)) == 7
    assert cuda_utils.handle_return((success, 7, 8)) == (7, 8)


def test_a_failed_result_raises_with_its_name():
    assert cuda_utils.CUDAError is CUDAError
    with pytest.raises(CUDAError, match="CUDA_ERROR_INVALID_VALUE: ") as caught:
        cuda_utils.handle_return((driver.CUresult.CUDA_ERROR_INVALID_VALUE, None))
    assert caught.value.status == 1
    for bad in (driver.CUresult.CUDA_SUCCESS, (), (3,)):
        with pytest.raises(TypeError, match="result must"):
            cuda_utils.handle_return(bad)


def test_a_failed_compilation_raises_with_its_log():
    try:
        library_path("nvrtc")
    except NotSupportedError:
        pytest.skip("needs NVRTC")
    program = cuda_utils.handle_return(nvrtc.nvrtcCreateProgram(b"nonsense;", b"bad.cu", 0, [], []))
    with pytest.raises(cuda_utils.NVRTCError, match=r"NVRTC_ERROR_COMPILATION: .+\n.*bad\.cu"):
        cuda_utils.handle_return(nvrtc.nvrtcCompileProgram(program, 0, []), program)
    cuda_utils.handle_return(nvrtc.nvrtcDestroyProgram(program))


@pytest.mark.parametrize(
    ("module", "api", "names"),
    [
        (nvvm, "nvvm", ["__nvvmVersion", "__nvvmCompileProgram"]),
        (nvjitlink, "nvjitlink", ["__nvJitLinkVersion", "__nvJitLinkCreate"]),
    ],
)
def test_functions_of_a_library_have_addresses(module, api, names):
    try:
        library_path(api)
    except NotSupportedError:
        pytest.skip(f"needs {api}")
    assert all(module._inspect_function_pointer(name) for name in names)
    assert module._inspect_function_pointer("__nvNoSuchFunction") == 0
    with pytest.raises(TypeError, match="name must be str"):
        module._inspect_function_pointer(None)


def test_the_enumerations_have_the_known_base():
    assert issubclass(driver.CUresult, _fast_enum.FastEnum)
    assert isinstance(driver.CUresult, _fast_enum.FastEnumMetaclass)


def test_a_graph_builder_can_be_named():
    assert not isinstance(Device(0), GraphBuilder)
    with pytest.raises(RuntimeError, match="a GraphBuilder is not made directly"):
        GraphBuilder()
