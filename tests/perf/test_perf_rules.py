# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import sys

import pytest

from cuda.perf import rules

TEXT = """
[[rule]]
benchmarks = ["gemm[[]m=128,*", "batched_*"]
owners = ["math@example.org", "ops@example.org"]
channels = ["mail", "log"]
least = 0.05

[[rule]]
benchmarks = ["*"]
metrics = ["l1tex__*"]
channels = ["log"]

[channel.mail]
command = ["{python}", "-c", "import sys; open('sent', 'w').write(sys.argv[1] + sys.argv[2] + sys.stdin.read())",
           "{subject}", "{owners}"]
[channel.log]
file = "log.md"
"""


def read(tmp_path, text):
    path = tmp_path / "rules.toml"
    path.write_text(text)
    return rules.read(path)


def test_the_first_rule_that_matches_decides(tmp_path):
    known = read(tmp_path, TEXT.replace("gemm[[]m", "gemm[m"))
    assert known.of("gemm[m=128,type=f32]", "seconds").owners == ["math@example.org", "ops@example.org"]
    assert known.of("gemm[m=64,type=f32]", "seconds").channels == ["console"]
    assert known.of("scan", "l1tex__sectors.sum").channels == ["log"]
    assert known.of("batched_gemm", "l1tex__sectors.sum").least == 0.05
    assert known.of("Batched_gemm", "seconds").channels == ["console"]  # names are case-sensitive


def test_reports_are_delivered(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    known = read(tmp_path, TEXT.replace("{python}", sys.executable))
    assert rules.deliver(known, known.of("batched_gemm", "seconds"), "gemm +5 %", "report\n") == []
    assert (tmp_path / "sent").read_text() == "gemm +5 %math@example.org,ops@example.orgreport\n"
    assert (tmp_path / "log.md").read_text() == "report\n"
    assert rules.deliver(known, known.of("other", "seconds"), "", "text\n") == []
    assert capsys.readouterr().out == "text\n"


def test_channels_that_fail_are_named(tmp_path):
    known = read(tmp_path, '[[rule]]\nbenchmarks = ["*"]\nchannels = ["a", "b", "c"]\n'
                           '[channel.a]\ncommand = ["false"]\n[channel.b]\ncommand = ["/no/such/program"]\n'
                           '[channel.c]\nfile = "/no/such/folder/file"\n')  # fmt: skip
    first, second, third = rules.deliver(known, known.of("x", "seconds"), "", "")
    assert first.startswith("channel a: Command '['false']' returned")
    assert "/no/such/program" in second
    assert "/no/such/folder" in third


WRONG = {
    "[[rule]]": r"rule\[0\]\.benchmarks is missing",
    '[[rule]]\nbenchmarks = ["*"]\nchannel = ["x"]': r"rule\[0\]\.channel is not a field",
    '[[rule]]\nbenchmarks = ["*"]\nchannels = ["x"]': r"names 'x'; there is no \[channel.x\]",
    "[channel.x]": "channel.x needs one of command, file, stdout",
    '[channel.x]\nfile = "a"\nstdout = true': "channel.x needs one of",
    '[[rule]]\nbenchmarks = ["*"]\nleast = "5 %"': r"rule\[0\]\.least is '5 %', not a finite number",
    "a = ": "rules.toml",
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_files(tmp_path, text):
    with pytest.raises(rules.RulesError, match=WRONG[text]):
        read(tmp_path, text)


def test_no_file():
    assert rules.read(None).of("any", "seconds").channels == ["console"]
    with pytest.raises(rules.RulesError, match=r"absent\.toml"):
        rules.read("absent.toml")
