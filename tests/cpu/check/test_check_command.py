# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`python -m cuda.cpu check`: reports, filters, suppressions, exit statuses, child processes, wrong options."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from xml.etree import ElementTree

import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from cuda.cpu.__main__ import main

pytestmark = pytest.mark.cpu_only

# Writes 32 words to a buffer of 20: in an inlined function, `put`, called from `k` and from `other`.
PROGRAM = """\
import ctypes, os, subprocess, sys, threading
driver = ctypes.CDLL("libcuda.so.1")
driver.cuInit(0)
context, buffer, module = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_void_p()
driver.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
def allocate():
    driver.cuMemAlloc_v2(ctypes.byref(buffer), ctypes.c_size_t(80))
allocate()
PTX = b'''.version 8.0
.target sm_90
.address_size 64
.file 1 "put.cu"
''' + b"".join(b'''.visible .entry %s(.param .u64 p) { .reg .b64 %%d<4>; .reg .b32 %%r<2>;
 .loc 1 9 3
 ld.param.u64 %%d1, [p];
 mov.u32 %%r1, %%tid.x;
 mul.wide.u32 %%d2, %%r1, 4;
 add.s64 %%d3, %%d1, %%d2;
 .loc 1 4 5, function_name $info+2, inlined_at 1 9 3
 st.global.u32 [%%d3], 1;
 ret; }
''' % name for name in (b"k", b"other")) + b'''.section .debug_str {
$info:
.b8 97,0,95,90,51,112,117,116,80,105,105,0
}'''
assert not driver.cuModuleLoadData(ctypes.byref(module), PTX)
def launch(name=b"k"):
    driver.cuCtxSetCurrent(context)
    function, values = ctypes.c_void_p(), (ctypes.c_void_p * 1)(ctypes.addressof(buffer))
    driver.cuModuleGetFunction(ctypes.byref(function), module, name)
    assert driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, None, values, None) == 0
"""
END = """
print(driver.cuCtxSynchronize())
"""


def check(tmp_path, body, *arguments, **variables):
    """Run a program under the command; options are in front of it."""
    script = tmp_path / "script.py"
    script.write_text(PROGRAM + body)
    command = [sys.executable, "-m", "cuda.cpu", "check", "--checks", "memcheck", *map(str, arguments), str(script)]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | variables, timeout=100)


def findings(tmp_path, body, *arguments):
    """Return the program's run, and the findings in the JSON report."""
    done = check(tmp_path, body, "--json", tmp_path / "out.json", *arguments)
    return done, json.loads((tmp_path / "out.json").read_text())


def test_the_program_continues_and_the_status_tells(tmp_path):
    done = check(tmp_path, "launch()" + END)
    assert done.stdout == "0\n"  # the call is as without checks
    assert done.returncode == 1
    assert done.stderr.endswith("cuda.cpu check: 1 error\n")


@pytest.mark.parametrize(
    ("end", "arguments", "status"),
    [
        ("", ("--error-exitcode", "7"), 7),
        ("sys.exit(3)", (), 3),
        ("", ("--kernel", "other"), 0),
    ],
)
def test_exit_status(tmp_path, end, arguments, status):
    assert check(tmp_path, f"launch(){END}{end}", *arguments).returncode == status


def test_json_has_all_stacks(tmp_path):
    _, data = findings(tmp_path, "launch()" + END)
    (found,) = data["findings"]
    script = str(tmp_path / "script.py")
    lines = (PROGRAM + "launch()").splitlines()
    at = {text: number for number, text in enumerate(lines, 1)}
    assert data["version"] == 1
    assert data["counts"] == {"error": 1, "warning": 0, "info": 0}
    assert [found[key] for key in ("checker", "kind", "severity", "kernel", "launch")] == [
        "memcheck", "outside", "error", "k", 1,
    ]  # fmt: skip
    assert (found["thread"], found["count"], found["size"]) == ([20, 0, 0], 12, 4)
    assert found["instruction"] == "st.global.u32 [%d3], 1;"
    assert found["device_stack"] == [
        {"function": "put(int*, int)", "file": "put.cu", "line": 4},
        {"function": "k", "file": "put.cu", "line": 9},
    ]
    launched = next(number for text, number in at.items() if "cuLaunchKernel" in text)
    assert found["launch_stack"] == [
        {"function": "launch", "file": script, "line": launched},
        {"function": "<module>", "file": script, "line": len(lines)},
    ]
    assert [frame["function"] for frame in found["allocation_stack"]] == ["allocate", "<module>"]
    assert found["allocation_stack"][1]["line"] == at["allocate()"]


def test_text_and_xml_say_the_same(tmp_path):
    done = check(tmp_path, "launch()" + END, "--save", tmp_path / "out.txt", "--xml", tmp_path / "out.xml")
    text = (tmp_path / "out.txt").read_text()
    assert "".join(f"cuda.cpu {line}\n" if not line.startswith(" ") else f"{line}\n" for line in text.splitlines()) == (
        done.stderr
    )
    (record,) = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert record.findtext("tool") == "memcheck"
    assert record.findtext("what/text") in text
    assert (record.findtext("where/func"), record.findtext("where/line")) == ("k", "4")
    assert [frame.findtext("func") for frame in record.find("deviceStack")] == ["put(int*, int)", "k"]
    assert [frame.findtext("func") for frame in record.find("launchStack")] == ["launch", "<module>"]


def test_use_after_free_has_the_stack_of_the_free(tmp_path):
    body = "def release():\n    driver.cuMemFree_v2(buffer)\nrelease()\nlaunch()" + END
    _, data = findings(tmp_path, body)
    found = data["findings"][0]  # the second one is behind the allocation
    assert found["kind"] == "freed"
    assert [frame["function"] for frame in found["free_stack"]] == ["release", "<module>"]
    assert [frame["function"] for frame in found["allocation_stack"]] == ["allocate", "<module>"]


@pytest.mark.parametrize(
    ("arguments", "kernels"),
    [
        ((), ["k", "other", "k"]),
        (("--kernel", "^k$"), ["k", "k"]),
        (("--kernel", "k", "--launch", "2"), ["k"]),
    ],
)
def test_filters(tmp_path, arguments, kernels):
    _, data = findings(tmp_path, 'launch()\nlaunch(b"other")\nlaunch()' + END, *arguments)
    assert [each["kernel"] for each in data["findings"]] == kernels


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--kernel", "zzz"), "no launch of a kernel whose name matches 'zzz': nothing was checked"),
        (("--launch", "77"), "no launch 77 of a kernel: nothing was checked"),
        (("--kernel", "k", "--launch", "2"), "no launch 2 of a kernel whose name matches 'k': nothing was checked"),
        (("--kernel", "k", "--launch", "1"), None),
    ],
)
def test_filters_that_select_nothing(tmp_path, arguments, said):
    done = check(tmp_path, "launch()" + END, *arguments)
    if said:
        assert done.stderr == f"cuda.cpu check: {said}\ncuda.cpu check: 0 errors\n"
        assert done.returncode == 0
    else:
        assert "nothing was checked" not in done.stderr


def test_a_kernel_that_is_not_checked_is_not_changed(tmp_path):
    """Its writes count for initcheck all the same."""
    body = """
driver.cuMemAlloc_v2(ctypes.byref(buffer), ctypes.c_size_t(128))
launch()
PTX2 = PTX.replace(b"st.global.u32 [%d3], 1;", b"ld.global.u32 %r1, [%d3];")
assert not driver.cuModuleLoadData(ctypes.byref(module), PTX2)
launch(b"other")
"""
    _, data = findings(tmp_path, body + END, "--checks", "initcheck", "--kernel", "other")
    assert data["findings"] == []
    _, data = findings(tmp_path, body.replace("launch()", "") + END, "--checks", "initcheck", "--kernel", "other")
    assert [each["checker"] for each in data["findings"]] == ["initcheck"]


def test_suppressions(tmp_path):
    (tmp_path / "known.txt").write_text("kernel=^k$ source=put.cu:4\nchecker=racecheck\n")
    done, data = findings(tmp_path, 'launch()\nlaunch(b"other")' + END, "--suppressions", tmp_path / "known.txt")
    assert [each["kernel"] for each in data["suppressed"]] == ["k"]
    assert [each["kernel"] for each in data["findings"]] == ["other"]
    assert data["unused_suppressions"] == [{"line": 2, "text": "checker=racecheck"}]
    assert "kernel 'k'" not in done.stderr
    assert f"unused suppression, {tmp_path / 'known.txt'} line 2: checker=racecheck" in done.stderr


def test_the_printed_findings_are_limited(tmp_path):
    done, data = findings(tmp_path, "launch()\n" * 5 + END, "--print-limit", 2)
    assert len(data["findings"]) == 5
    assert done.stderr.count("kernel 'k'") == 2
    assert done.stderr.endswith("check: findings after the first 2 are not printed\ncuda.cpu check: 5 errors\n")


def test_written_suppressions_suppress(tmp_path):
    body = 'launch()\nlaunch()\nlaunch(b"other")'
    check(tmp_path, body, "--write-suppressions", tmp_path / "known.txt")
    assert len((tmp_path / "known.txt").read_text().splitlines()) == 2
    done, data = findings(tmp_path, body, "--suppressions", tmp_path / "known.txt")
    assert (done.returncode, data["findings"], len(data["suppressed"])) == (0, [], 3)


def test_severity(tmp_path):
    for severity, kinds in (("info", {"memory", "module"}), ("warning", {"memory"}), ("error", set())):
        done, data = findings(tmp_path, END, "--checks", "leakcheck", "--severity", severity)
        assert {each["kind"] for each in data["findings"]} == kinds
        assert done.returncode == bool(kinds)
        assert all([frame["function"] for frame in each["allocation_stack"]] for each in data["findings"])


def test_child_processes_and_sudden_ends(tmp_path):
    """Findings of all processes are in the report, whichever way they end; those of a fork are not told twice."""
    body = """
launch()
driver.cuCtxSynchronize()
if len(sys.argv) == 1:
    subprocess.run([sys.executable, __file__, "child"], check=True)
    if os.fork() == 0:
        os._exit(0)
    os.wait()
os._exit(0)
"""
    done, data = findings(tmp_path, body)
    assert [each["kernel"] for each in data["findings"]] == ["k", "k"], done.stderr
    assert len({each["process"] for each in data["findings"]}) == 2
    assert done.returncode == 1


def test_a_launch_that_nobody_waits_for(tmp_path):
    done, data = findings(tmp_path, "launch()")
    assert [each["kernel"] for each in data["findings"]] == ["k"], done.stderr


def test_a_launch_that_never_ends(tmp_path):
    """The program ends as without checks, if later; the report has what the launch did until then."""
    body = """
from cuda.cpu.driver.code import profiling
profiling.PATIENCE = 0.5
endless = PTX.replace(b" ret;", b"again: ld.global.u32 %r1, [%d1]; bra again; ret;")
driver.cuModuleLoadData(ctypes.byref(module), endless)
launch()
"""
    done, data = findings(tmp_path, body)
    assert [each["kernel"] for each in data["findings"]] == ["k"]
    assert done.returncode == 1
    assert "cuda.cpu: work still runs 0.5 s after the end of the program" in done.stderr


def test_threads(tmp_path):
    body = """
threads = [threading.Thread(target=lambda: [launch() for _ in range(10)]) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
    done, data = findings(tmp_path, body + END)
    assert len(data["findings"]) == 40, done.stderr
    assert sorted(each["launch"] for each in data["findings"]) == list(range(1, 41))


def test_a_fault_and_a_finding(tmp_path):
    """A trap fails the context; what was found before is in the report."""
    body = """
launch()
PTX2 = PTX.replace(b" ret; }", b" trap; }")
assert not driver.cuModuleLoadData(ctypes.byref(module), PTX2)
launch()
"""
    done, data = findings(tmp_path, body + END)
    assert done.stdout == "719\n"
    assert [each["launch"] for each in data["findings"]] == [1, 2], done.stderr
    assert data["failed"] == 0  # both launches have a finding


def test_a_launch_that_findings_end(tmp_path):
    """It is no launch that failed without a finding, though the findings are recorded before its fault is read."""
    body = """
launch()
PTX2 = PTX.replace(b" st.global", b" AGAIN: st.global").replace(b" ret; }", b" bra AGAIN; }")
assert not driver.cuModuleLoadData(ctypes.byref(module), PTX2)
launch()
"""
    done, data = findings(tmp_path, body + END)
    assert done.stdout == "700\n"
    assert [each["launch"] for each in data["findings"]] == [1, 2], done.stderr
    assert "this launch was ended" in data["findings"][1]["message"]
    assert (data["failed"], done.stderr.splitlines()[-1]) == (0, "cuda.cpu check: 2 errors")


def test_more_different_errors_than_a_launch_can_have(tmp_path):
    body = """
PTX2 = PTX.replace(b" st.global.u32 [%d3], 1;", b" st.global.u32 [%d3], 1;\\n" * 70)
assert not driver.cuModuleLoadData(ctypes.byref(module), PTX2)
launch()
launch()
"""
    done, data = findings(tmp_path, body + END, "--xml", tmp_path / "out.xml")
    assert (done.stdout, data["failed"]) == ("0\n", 0)
    assert [each["launch"] for each in data["findings"]] == [1] * 65 + [2] * 65
    more = data["findings"][64]
    assert (more["kind"], more["checker"], more["count"], more["instruction"]) == ("more", "memcheck", 6 * 12, "")
    assert not more["device_stack"]
    assert more["launch_stack"]
    assert f"cuda.cpu memcheck: {more['message']}\n" in done.stderr
    record = ElementTree.parse(tmp_path / "out.xml").findall("record")[64]
    assert record.findtext("what/text") == more["message"]


@pytest.mark.parametrize("processes", [1, 2])
def test_a_fault_without_a_finding(tmp_path, processes):
    """Though the program goes on."""
    body = """
PTX2 = PTX.replace(b" st.global", b" trap; st.global")
assert not driver.cuModuleLoadData(ctypes.byref(module), PTX2)
launch()
"""
    child = "if len(sys.argv) == 1: subprocess.run([sys.executable, __file__, 'child'], check=True)\n"
    done, data = findings(tmp_path, body + END + child * (processes - 1), "--kernel", "other")
    launches = "1 launch" if processes == 1 else "2 launches"
    assert done.stderr.splitlines()[-1] == f"cuda.cpu check: 0 errors, {launches} failed without a finding"
    assert (data["findings"], data["failed"], data["status"]) == ([], processes, 0)
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--checks", "racechek"], "--checks: 'racechek'; did you mean racecheck?"),
        (["--checks", ""], "--checks: '', which names no check; it takes memcheck, "),
        (["--checks", " , "], "--checks: ' , ', which names no check"),
        (["--kernel", "("], "--kernel is '(', which is no regular expression: "),
        (["--launch", "-1"], "--launch is -1"),
        (["--launch", "0"], "--launch is 0; launches are counted from 1"),
        (["--print-limit", "-1"], "--print-limit is -1"),
        (["--severity", "fatal"], "there are info, warning, error"),
        (["--error-exitcode", "256"], "must be 0 to 255"),
        (["--json", "/nowhere/out.json"], "--json: /nowhere is no folder"),
        (["--xml", "."], "--xml: . is no file that can be written"),
        (["--suppressions", "/nowhere/known"], "cannot be read"),
        (["--write-suppressions", "/nowhere/known"], "--write-suppressions: /nowhere is no folder"),
        (["--suppressions", "wrong.txt"], "--suppressions: wrong.txt, line 1: 'x' is no name=value"),
    ],
)
def test_wrong_options_are_refused_before_anything_runs(tmp_path, monkeypatch, capfd, arguments, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wrong.txt").write_text("x")
    (tmp_path / "script.py").write_text("print('ran')")
    assert main(["check", *arguments, "script.py"]) == 2
    out, err = capfd.readouterr()
    assert expected in err
    assert err.count("\n") == 1
    assert not out


def test_full_disk(tmp_path):
    if not pathlib.Path("/dev/full").exists():
        pytest.skip("there is no /dev/full to stand for a full disk")
    done = check(tmp_path, END, "--kernel", "none", "--json", "/dev/full")
    assert "the report could not be written to /dev/full: No space left on device" in done.stderr
    assert done.returncode == 2  # though the program succeeded
    assert pathlib.Path("/dev/full").is_char_device()


def test_records_on_a_full_disk(tmp_path):
    """The folder of the records is gone: findings are printed all the same."""
    body = "import json\nfolder = json.loads(os.environ['CUDA_CPU_CHECK_OPTIONS'])['records']\nos.rmdir(folder)\n"
    done = check(tmp_path, body + "launch()" + END + "os.mkdir(folder)")
    assert "kernel 'k'" in done.stderr
    assert "a finding could not be recorded" in done.stderr
