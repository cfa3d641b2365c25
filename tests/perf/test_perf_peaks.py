# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import json

import pytest

pytest.importorskip("scipy", reason="cuda.perf's statistics need SciPy, of the extra perf")

from cuda.perf import __main__, dashboard, files, peaks, text
from cuda.perf.history import History
from cuda.perf.model import Environment, Result, Run, Samples, Work

F32 = peaks.FLOPS["f32"]
KNOWN = {F32: 100e9, peaks.FLOPS["f64"]: 50e9, peaks.BYTES: 10e9}


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        (Work(bytes_read=6e9, bytes_written=2e9), (0.4, "memory")),
        (Work(bytes_read=1e9, flops=100e9), (0.5, "arithmetic")),
        (Work(bytes_read=40e9), (2.0, "memory")),  # from a cache
        (Work(bytes_read=1e9, flops=50e9, precision="f64"), (0.5, "arithmetic")),
        (Work(flops=1, precision="tensor_f16"), None),  # whose peak is not known
        (Work(flops=1, precision="of another version"), None),
        (Work(elements=5), None),
    ],
)
def test_the_share_is_that_of_the_roofline(work, expected):
    assert peaks.share(work, 2.0, KNOWN) == expected


def test_without_a_peak_there_is_no_share():
    assert peaks.share(Work(flops=1), 1.0, {}) is None


def test_data_sheets_need_no_measurement():
    found = peaks.of(Environment(device="NVIDIA H100 80GB HBM3", device_kind="gpu"), None, None)
    assert (found[F32], found[peaks.FLOPS["tensor_f16"]], found[peaks.BYTES]) == (66.9e12, 989.4e12, 3.35e12)


def test_a_device_without_a_unit_has_no_share_of_its_peak():
    found = peaks.known(Environment(device="Tesla T4", device_kind="gpu"))
    assert peaks.share(Work(flops=1e12, precision="tensor_tf32"), 1.0, found) is None


def test_the_best_of_some_measurements_is_stored(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    rates = iter([{F32: 5.0, peaks.BYTES: 1.0}, {F32: 4.0, peaks.BYTES: 3.0}, KNOWN])
    monkeypatch.setattr(peaks, "measure", lambda *arguments: next(rates))
    environment = Environment(device="CPU device", cores=2)
    found = [peaks.of(environment, None, None) for _ in range(4)]  # of which the last one measures nothing
    assert found == [{F32: 5.0, peaks.BYTES: 1.0}, {F32: 5.0, peaks.BYTES: 3.0}, KNOWN, KNOWN]
    (stored,) = (tmp_path / "cuda-perf").iterdir()
    stored.write_text("damaged")
    monkeypatch.setattr(peaks, "measure", lambda *arguments: dict(KNOWN))
    assert peaks.of(environment, None, None) == KNOWN
    assert json.loads(stored.read_text())["measurements"] == 1


@pytest.mark.needs_nvrtc
def test_a_run_has_the_measured_peaks(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "bench.py").write_text(
        "from cuda.perf import benchmark\n@benchmark\ndef nothing(state):\n"
        "    state.add_flops(1e3)\n    state.exec(lambda launched: None)\n"
    )
    assert __main__.main(["run", "bench.py", "--quiet", "--processes", "1", "1", "--block", "0.01s"]) == 0
    found = files.read("run.jsonl").environment.peaks
    assert found[F32] > found[peaks.BYTES] > 1e8
    assert all(found[peaks.FLOPS[name]] > 1e7 for name in ("f64", "f16", "tensor_tf32", "tensor_f16"))
    assert "(arithmetic)" in capsys.readouterr().out


def measured():
    result = Result("scan", work=Work(bytes_read=4e9, flops=1e9), samples=[Samples(0, 0, 0, 1, [1.0, 1.0])])
    return Run(1.0, "", Environment(device="CPU device", peaks=dict(KNOWN)), [result], complete=True)


def test_the_table_has_the_share():
    assert "40% (memory)" in text.of_run(measured())


def test_the_roofline_has_the_measured_peaks(tmp_path):
    with History(tmp_path / "history.db", create=True) as history:
        history.add(measured())
        assert ">single-precision operations<" in dashboard.page(history, latest=measured())
