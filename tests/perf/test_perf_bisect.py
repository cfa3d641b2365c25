# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The command `bisect`, in a small repository of its own."""

import json
import shutil
import subprocess
import sys

import pytest

from cuda.perf import __main__, candidates, files
from cuda.perf.model import Counters, Environment, Result, Run, Samples

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="Git is not installed")

CULPRIT, LAST = 11, 16


def git(folder, *arguments):
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for number in range(LAST + 1):
        (folder / "number").write_text(f"{number}\n")
        (folder / "kernel.txt").write_text("slow\n" if number >= CULPRIT else "fast\n")
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", f"commit {number}")
    return folder


@pytest.fixture
def bisect(capsys):
    def call(*arguments):
        code = __main__.main(["bisect", *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out + ("" if code != 2 else captured.err)

    return call


def of(repository):
    return "--repo", repository, "--good", f"HEAD~{LAST}"


EXACT = ("--exact", "--command", "grep -c slow kernel.txt || true")


def test_commits_by_exact_values(bisect, repository, tmp_path):
    code, text = bisect(*of(repository), *EXACT, "--json", tmp_path / "found.json")
    assert code == 0
    first, second, third = text.splitlines()
    assert first == f"culprit: {git(repository, 'rev-parse', f'HEAD~{LAST - CULPRIT}')[:12]} commit {CULPRIT}"
    assert second == "value: 0 before, 1 with it"
    assert third == "exact values; 6 measurements, 6 preparations, 16 candidates"
    found = json.loads((tmp_path / "found.json").read_text())
    assert "+slow" in found["culprits"][0]["difference"]
    assert git(repository, "rev-parse", "--abbrev-ref", "HEAD") == "main"


def test_commits_by_noisy_values(bisect, repository):
    (program := repository.parent / "measure.py").write_text(
        "import random\nslow = 'slow' in open('kernel.txt').read()\n"
        "with open(__file__ + '.calls', 'ab') as calls:\n    calls.write(b'x')\n    seed = calls.tell()\n"
        "print((1 + 0.1 * slow) * random.Random(seed).gauss(1, 0.02))\n"
    )
    code, text = bisect(*of(repository), "--command", f"{sys.executable} -S -E {program}")
    assert code == 0
    assert f"commit {CULPRIT}" in text
    assert "probability 99." in text


def test_commits_that_do_not_build_are_skipped(bisect, repository):
    code, text = bisect(*of(repository), *EXACT, "--setup", f"grep -vqE '^({CULPRIT}|{CULPRIT - 1})$' number")
    assert code == 0
    assert "one of 3 candidates that could not be separated" in text
    command = f"grep -qx {CULPRIT} number && exit 125; grep -c slow kernel.txt || true"
    code, text = bisect(*of(repository), "--exact", "--command", command)
    assert "one of 2 candidates" in text


def test_versions_and_options(bisect):
    versions = "1.0,1.1,2.0,2.1"
    code, text = bisect(
        "--values", versions, "--exact", "--command", "case {candidate} in 2*) echo 5;; *) echo 3;; esac"
    )
    assert code == 0
    assert text.startswith("culprit: 2.0\nvalue: 3 before, 5 with it\n")
    command = "case '{candidate}' in *--fast*) echo 5;; *) echo 3;; esac"
    assert bisect("--switches=-O1 --fast -g", "--exact", "--command", command)[1].startswith("culprit: --fast\n")


def test_counts_of_result_files(tmp_path):
    def run(count):
        block = Samples(0, 0, 0, 1, [0.5, 0.75, 1.0])
        result = Result("gemm", {"m": 8}, counters=Counters({"loads": count}), samples=[block])
        return Run(1.0, "", Environment(), [result], complete=True)

    for count in (4, 6):
        files.write(tmp_path / f"{count}.json", run(count))
    measure = candidates.Measurement(
        f"cp {tmp_path}/{{candidate}}.json {{json}}", benchmark="gemm[m=8]", metric="loads"
    )
    assert (measure("4"), measure("6")) == (4, 6)
    measure.metric = "seconds"
    assert measure("4") == 0.75
    measure.metric = "stores"
    with pytest.raises(candidates.BisectionError, match=r"gemm\[m=8\] of 4 \(ok\) has no stores: it has: loads"):
        measure("4")
    measure.benchmark = "scan"
    with pytest.raises(candidates.BisectionError, match=r"4 has no benchmark scan; it has: gemm\[m=8\]"):
        measure("4")
    measure.command = "true"
    with pytest.raises(candidates.BisectionError, match="the result file of 4"):
        measure("4")


def test_a_count_needs_no_option(bisect, tmp_path):
    for number in range(4):
        result = Result("gemm", counters=Counters({"loads": 3 + (number > 1)}))
        files.write(tmp_path / f"{number}.json", Run(1.0, "", Environment(), [result], complete=True))
    command = f"cp {tmp_path}/{{candidate}}.json {{json}}"
    code, text = bisect("--values", "0,1,2,3", "--benchmark", "gemm", "--metric", "loads", "--command", command)
    assert code == 0
    assert text.startswith("culprit: 2\n")
    assert "exact values; 4 measurements" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--command", "echo 1"], "give one of --good, --values, --switches"),
        (["--values", "1", "--command", "echo 1"], "fewer than two candidates"),
        (["--values", "1,2", "--exact", "--command", "echo 1"], "both ends have the value 1"),
        (["--values", "1,2", "--exact", "--command", "echo much"], "is no number: ['much']"),
        (["--values", "1,2", "--exact", "--command", "true"], "is no number"),
        (["--values", "1,2", "--exact", "--command", "echo broken >&2; exit 1"], "the command failed for 1: broken"),
        (["--values", "1,2", "--exact", "--command", "sleep 9", "--timeout", "0.1"], "more than 0.1 s"),
    ],
)
def test_wrong_arguments(bisect, arguments, message):
    code, text = bisect(*arguments)
    assert code == 2
    assert message in text


def test_checkouts_that_are_not_suitable(bisect, repository):
    assert "no first-parent ancestor" in bisect("--repo", repository, "--good", "HEAD", "--bad", "HEAD~3", *EXACT)[1]
    assert "git rev-parse" in bisect("--repo", repository, "--good", "absent", *EXACT)[1]
    (repository / "kernel.txt").write_text("changed\n")
    code, text = bisect(*of(repository), *EXACT)
    assert code == 2
    assert "has changes that are not committed" in text
    assert (repository / "kernel.txt").read_text() == "changed\n"


def test_an_undecided_search_has_an_exit_code(bisect):
    command = f"{sys.executable} -S -E -c 'import random; print({{candidate}} // 8 * 0.05 + random.gauss(1, 0.02))'"
    code, text = bisect("--values", ",".join(map(str, range(16))), "--most", "1", "--command", command)
    assert code == 1
    assert "probability" in text
