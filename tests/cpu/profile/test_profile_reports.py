# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Reports of profiles: text, JSON, HTML, comparison, the command line."""

import json
import pathlib
import subprocess
import sys

import pytest
from support.profile_cases import CONFLICTS, HEAD, TAIL, sectors
from support.profile_reports import NAMES, SCRIPT, Balanced, script_of

from cuda.cpu.profile import METRICS, Profile, page
from cuda.cpu.profile import data as datas
from cuda.cpu.profile.advice import advice
from cuda.cpu.profile.text import difference


def profiled(launcher, *names):
    with Profile() as profile:
        for name in names:
            launcher.launch(launcher.function(NAMES[name].text), NAMES[name].grid, NAMES[name].block)
    return profile


def run(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "cuda.cpu", "profile", *map(str, arguments)], capture_output=True, text=True, cwd=cwd
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("stride 128", "uncoalesced (4 of 4 requests, 32.0 sectors per request where 4.0 would do): stride 128 bytes"),
        ("column of a tile", "bank conflicts: shared loads take 32.0 passes per request: stride 128 bytes"),
        ("if and else", "50 % of the branches diverge"),
        ("one counter", "97 % of the atomic operations collide"),
        ("local, other words", "local memory"),
    ],
)
def test_advice_names_the_problem(launcher, name, expected):
    report = str(profiled(launcher, name))
    assert expected in report
    assert f"k<<<{NAMES[name].grid}, {NAMES[name].block}>>>" in report


@pytest.mark.parametrize("name", ["coalesced", "no conflict", "loop", "local, same word", "counter each", "call"])
def test_advice_is_silent_where_nothing_is_wasted(launcher, name):
    data = datas.data_of(profiled(launcher, name).launches)
    found = [
        text for entry in data["launches"] for line in datas.lines_of(entry) for text in advice(line, entry["block"])
    ]
    assert [text for text in found if not text.problem.startswith("local memory")] == []


STRIDED = (
    "mul.wide.u32 %rd2, %r4, 128; add.s64 %rd3, %rd0, %rd2;\n"
    "ld.global.u32 %r5, [%rd3];\nst.global.u32 [%rd3], %r5;\nld.global.u32 %r6, [%rd0];"
)


def test_advice_is_given_once_for_each_cause(launcher):
    with Profile() as profile:
        launcher.launch(launcher.function(HEAD + STRIDED + TAIL), 1, 64)
    report = str(profile)
    assert "uncoalesced      4 of 6 global requests\n" in report
    assert report.count("let neighbouring threads access neighbouring addresses") == 1
    load, store = (row for row in report.splitlines() if "->" in row)
    assert "100 % of the global loads are uncoalesced (2 of 2 requests, 32.0 sectors" in load
    assert "100 % of the global stores are uncoalesced (2 of 2 requests, 32.0 sectors" in store
    first = next(row.split()[0] for row in report.splitlines() if row.endswith("ld.global.u32 %r5, [%rd3];"))
    assert store.endswith(f"stride 128 bytes; see {first}")
    rows = [row.split() for row in report.splitlines() if "global.u32" in row]
    assert [row[4] for row in rows] == ["32.0", "32.0"]  # the other load is not among the hot lines


def test_advice_for_loads_and_stores_of_a_line_is_one(launcher):
    text = HEAD.replace(".address_size 64", '.address_size 64\n.file 1 "line.cu"')
    text += STRIDED.replace("ld.global.u32 %r5", ".loc 1 7 1\nld.global.u32 %r5").rpartition("\n")[0] + TAIL
    with Profile() as profile:
        launcher.launch(launcher.function(text), 1, 64)
    (found,) = (row for row in str(profile).splitlines() if "->" in row)
    assert "-> 100 % of the global loads and stores are uncoalesced (4 of 4 requests, 32.0 sectors" in found


def test_idle_threads_are_named(launcher):
    function = launcher.function(NAMES["nothing"].text)
    with Profile() as profile:
        launcher.launch(function, block=8)
    assert "only 8.0 of 32 threads of a warp are active here; choose blocks of full warps: 8 is no" in str(profile)


def test_threads_on_another_path_are_named(launcher):
    text = HEAD + "setp.ge.u32 %p0, %r4, 4; @%p0 bra A;\nadd.u32 %r5, %r4, 1;\nA: add.u32 %r6, %r4, 1;" + TAIL
    with Profile() as profile:
        launcher.launch(launcher.function(text))
    assert "only 4.0 of 32 threads of a warp are active here: the others are on another path" in str(profile)


def test_json_has_all_counts_and_merges_equal_launches(launcher):
    profile = profiled(launcher, "coalesced", "coalesced", "stride 8")
    data = json.loads(profile.to_json())
    assert [each["numbers"] for each in data["launches"]] == [[1, 2], [3]]
    assert data["launches"][1]["metrics"][sectors("ld")] == 8 * 4
    assert set(data["launches"][0]["metrics"]) == set(METRICS)
    total = sum(each["warps"] for each in data["launches"][0]["instructions"])
    assert total == profile.launches[0].metric("ptx__inst_executed.sum")


def test_page_is_self_contained_and_escaped(launcher):
    text = NAMES["fp32"].text.replace("entry k(", "entry k$(") + "// <script>alert(1)</script> \n"
    with Profile() as profile:
        launcher.launch(launcher.function(text, "k$"))
        launcher.launch(launcher.function(NAMES["stride 128"].text))
    page = Balanced()
    page.feed(profile.to_html())
    assert page.open == []
    assert page.links == []
    assert "stride 128 bytes" in page.text
    assert "<script" not in profile.to_html()
    assert profile._repr_html_().startswith("<table>")


def test_difference_lists_only_what_changed(launcher):
    before = datas.data_of(profiled(launcher, "column of a tile").launches)
    after = datas.data_of(profiled(launcher, "column of a padded tile").launches)
    report = difference(before, after)
    assert CONFLICTS in report
    assert "124 ->" in report
    assert "ptx__inst_executed.sum" not in report
    assert "no difference" in difference(before, before)
    assert "only in the first profile" in difference(before, datas.data_of([]))


def test_command_line_writes_the_reports(tmp_path):
    script = script_of(tmp_path, "stride 128", "two ways")
    done = run("--json", "out.json", "--html", "out.html", script, "an argument", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "an argument\n"
    assert "stride 128 bytes" in done.stderr
    assert "2-way" not in done.stderr
    assert len(datas.read(str(tmp_path / "out.json"))["launches"]) == 2
    assert (tmp_path / "out.html").read_text().startswith("<!doctype html>")
    compared = run("--diff", tmp_path / "out.json", tmp_path / "out.json")
    assert compared.stdout.count("no difference") == 2


def test_command_line_selects(tmp_path):
    script = script_of(tmp_path, "stride 128", "two ways")
    done = run("--launch", 2, "--metrics", CONFLICTS, script)
    assert done.stderr.split()[-2:] == ["4", "conflicts"]
    assert done.stderr.count("<<<") == 1
    assert "No launch of a profiled kernel" in run("--kernel", "none", script).stderr
    assert "there is no launch 9" in run("--launch", 9, script).stderr


def test_launches_are_compared_although_their_shared_memory_changed(launcher):
    texts = [NAMES["no conflict"].text, NAMES["no conflict"].text.replace("s[16384]", "s[8192]")]
    data = []
    for text in texts:
        with Profile() as profile:
            launcher.launch(launcher.function(text))
        data.append(datas.data_of(profile.launches))
    before, after = data
    report = difference(before, after)
    assert "only in" not in report
    assert [line.split()[0] for line in report.splitlines()[1:-1]] == ["launch__shared_mem_per_block"]
    assert "<th>before</th>" in page.page(after, baseline=before)


def test_baseline_adds_a_comparison(tmp_path):
    first = run("--json", tmp_path / "before.json", script_of(tmp_path, "column of a tile"))
    assert first.returncode == 0, first.stderr
    done = run(
        "--baseline", tmp_path / "before.json", "--html", tmp_path / "after.html",
        script_of(tmp_path, "column of a padded tile"),
    )  # fmt: skip
    assert "124 ->" in done.stderr
    assert "<th>before</th>" in (tmp_path / "after.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--metrics", "ptx__inst_executed.su"], "similar ones are"),
        (["--kernel", "("], "is no regular expression"),
        (["--launch", "-1"], "launches are counted from 1"),
        (["--launch", "0"], "--launch is 0; launches are counted from 1"),
        (["--gpu", "G80"], "there are A100"),
        (["--arch", "90"], "must be sm_"),
        (["--json", "/nowhere/out.json"], "is no folder in which files can be written"),
        (["--baseline", __file__], "is no profile"),
        (["--diff", __file__, __file__], "is no profile"),
    ],
)
def test_wrong_options_are_refused_before_anything_runs(tmp_path, arguments, expected):
    done = run(*arguments, tmp_path / "is not read.py")
    assert done.returncode == 2
    assert expected in done.stderr
    assert done.stderr.count("\n") == 1


def test_full_disk_is_reported_and_leaves_no_file(tmp_path):
    if not pathlib.Path("/dev/full").exists():
        pytest.skip("there is no /dev/full to stand for a full disk")
    script = script_of(tmp_path, "two ways")
    (tmp_path / "out.json").mkdir()
    done = run("--json", tmp_path / "out.json", script)
    assert "the profile could not be written" in done.stderr
    assert done.returncode == 2  # though the program succeeded
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json", "script.py"]


@pytest.mark.parametrize("command", ["profile", "timeline"])
@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("print('x')", 0),
        ("import cuda.cpu.driver, os; os._exit(3)", 3),
        ("import cuda.cpu.driver, os, signal; os.kill(os.getpid(), signal.SIGTERM)", 143),
    ],
)
def test_a_program_without_a_report(tmp_path, command, code, status):
    option = "--json" if command == "profile" else "-o"
    done = subprocess.run(
        [sys.executable, "-m", "cuda.cpu", command, option, "out.json", "-c", code],
        capture_output=True, text=True, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == status
    assert done.stderr.startswith("cuda.cpu: there is no report: ")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    ("command", "said"), [("profile", "(launch 1, ended early: cancelled)"), ("timeline", "kernel k ")]
)
def test_work_that_never_ends(tmp_path, command, said):
    """The program ends as without a report, if later; the report has what was done until then."""
    text = f"{HEAD}again: ld.global.u32 %r5, [%rd0]; bra again;{TAIL}"
    start = "from cuda.cpu.driver.code import profiling\nprofiling.PATIENCE = 0.5"
    (tmp_path / "script.py").write_text(f"{start}\nTEXTS = [{text!r}]\n{SCRIPT}")
    done = subprocess.run(
        [sys.executable, "-m", "cuda.cpu", command, "script.py"],
        capture_output=True, text=True, cwd=tmp_path, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    first, report = done.stderr.split("\n", 1)
    assert first.startswith("cuda.cpu: work still runs 0.5 s after the end of the program")
    assert said in report


def test_list_names_all_metrics():
    listed = run("--list").stdout
    assert all(name in listed for name in METRICS)
