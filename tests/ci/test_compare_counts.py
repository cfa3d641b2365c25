# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""ci/gpu/compare_counts.py: reading ncu's table, comparing, running a program.

The table has the columns that Nsight Compute's manual describes for `--csv`; its values are made up.
"""

import importlib.util
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SCRIPT = ROOT / "ci/gpu/compare_counts.py"
spec = importlib.util.spec_from_file_location("compare_counts", SCRIPT)
compare_counts = importlib.util.module_from_spec(spec)
spec.loader.exec_module(compare_counts)
Launch = compare_counts.Launch

REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
RATIO = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"
HEAD = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device",'
    '"CC","Section Name","Metric Name","Metric Unit","Metric Value"'
)


def row(number, kernel, metric, value):
    return (
        f'"{number}","7","python","h","{kernel}","1","7","(64, 1, 1)","(2, 1, 1)","0","9.0","","{metric}","","{value}"'
    )


TABLE = [
    "==PROF== Connected to process 7", "output of the program", HEAD,
    row(0, "k", REQUESTS, "1,024"), row(0, "k", RATIO, "4.33"), row(1, "other", REQUESTS, "3"),
    row(1, "other", RATIO, "n/a"), "==PROF== Disconnected from process 7",
]  # fmt: skip


def test_table_of_ncu():
    assert compare_counts.of_ncu(TABLE) == [
        Launch("k", {REQUESTS: 1024, RATIO: 4.33}), Launch("other", {REQUESTS: 3})
    ]  # fmt: skip


@pytest.mark.parametrize("lines", [[], ["==ERROR== no permission"], ['"ID","Kernel Name"', '"0","k"']])
def test_other_output_is_refused(lines):
    with pytest.raises(ValueError, match="no table of ncu"):
        compare_counts.of_ncu(lines)


def test_values_are_compared():
    cpu = [Launch("k", {REQUESTS: 1024, RATIO: 13 / 3}), Launch("other", {REQUESTS: 4, RATIO: 1.0})]
    lines, different = compare_counts.compare(cpu, compare_counts.of_ncu(TABLE))
    assert different == 1
    assert [line for line in lines if "different" in line] == [f"| 2 other | {REQUESTS} | 4 | 3.0 | different |"]
    assert sum("not available" in line for line in lines) == 1


def test_other_launches_are_a_difference():
    assert compare_counts.compare([Launch("k", {})], [])[1] == 1


def test_program_is_run_twice(tmp_path):
    """An `ncu` that reports what the CPU device counts, except for one value."""
    pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")
    from support.profile_reports import script_of

    ncu = tmp_path / "ncu"
    ncu.write_text(f"""#!{sys.executable}
import os, sys
assert os.environ["CUDA_PYTHON_DRIVER"] == "nvidia"
names = sys.argv[sys.argv.index("--metrics") + 1].split(",")
print({HEAD!r})
for name in names:
    value = 4 if name == {REQUESTS!r} else {{"launch__block_size": 64, "launch__grid_size": 2}}.get(name, "n/a")
    print({row(0, "k", "NAME", "VALUE")!r}.replace("NAME", name).replace("VALUE", str(value)))
""")
    ncu.chmod(0o755)
    command = [sys.executable, SCRIPT, "--ncu", ncu, "--report", tmp_path / "report"]
    done = subprocess.run([*command, script_of(tmp_path, "coalesced")], capture_output=True, text=True)
    assert (done.returncode, done.stdout.split(";")[0]) == (0, "0 values differ"), done.stderr
    done = subprocess.run([*command, script_of(tmp_path, "store")], capture_output=True, text=True)
    assert (done.returncode, done.stdout.split(";")[0]) == (1, "1 values differ"), done.stderr
    assert f"| 1 k | {REQUESTS} | 0 | 4.0 | different |" in (tmp_path / "report/counts.md").read_text()


def test_missing_ncu_is_named(tmp_path):
    command = [sys.executable, SCRIPT, "--ncu", "no-such-ncu", "--report", tmp_path, "script.py"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "no-such-ncu is not installed: it comes with Nsight Compute" in done.stderr
