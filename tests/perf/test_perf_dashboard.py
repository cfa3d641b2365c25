# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import base64
import html.parser
import json
import random
import re
import struct
import zlib
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuda.perf import __main__, charts, dashboard, files, heat_map
from cuda.perf.change_points import Change
from cuda.perf.history import History
from cuda.perf.model import Counters, Environment, Result, Run, Samples, Status, Work

SVG = "{http://www.w3.org/2000/svg}"


def run(number, slow=1.0):
    generator = random.Random(number)
    results = [
        Result(
            name,
            {"m": 8},
            work=Work(bytes_read=1e6, flops=4e6),
            counters=Counters({"loads": 10 + (number > 15)}),
            samples=[Samples(0, 0, 0, 1, [1e-3 * factor * generator.uniform(0.99, 1.01) for _ in range(5)])],
        )
        for name, factor in (("gemm</script>", slow), ("scan", 1.0))
    ]
    results.append(Result("broken", status=Status.FAILED, message="<no device>"))
    return Run(1.7e9 + 86400 * number, "", Environment(device="NVIDIA H100", commit=f"{number:040x}"), results, True)


@pytest.fixture
def history(tmp_path):
    with History(tmp_path / "history.db", create=True) as opened:
        for number in range(30):
            opened.add(run(number, 1.2 if number >= 20 else 1.0))
        yield opened


class Reader(html.parser.HTMLParser):
    """Collects elements and the texts of scripts."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.scripts, self.depth = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.depth.append(tag)

    def handle_endtag(self, tag):
        self.depth.pop()

    def handle_data(self, data):
        if self.depth and self.depth[-1] == "script":
            self.scripts.append(data)


@pytest.fixture
def page(history):
    pytest.importorskip("scipy", reason="the extra `perf` is not installed")
    return dashboard.page(history, latest=run(29), report="# A report with <tags>")


def test_the_page_is_self_contained(page):
    reader = Reader(page)
    loaded = [(tag, value) for tag, attributes in reader.elements
              for name, value in attributes.items() if name in ("src", "href")]  # fmt: skip
    assert [tag for tag, _ in loaded] == ["img"]
    assert loaded[0][1].startswith("data:image/png;base64,")
    assert "http" not in re.sub(r"http://www.w3.org/2000/svg", "", page)


def test_names_and_messages_are_text(page):
    assert "gemm&lt;/script&gt;[m=8]" in page
    assert page.count("</script>") == 2
    assert "&lt;no device&gt;" in page
    assert "# A report with &lt;tags&gt;" in page


def test_the_data_has_a_chart_of_each_row(page):
    reader = Reader(page)
    data = json.loads(reader.scripts[0])
    rows = [attributes for tag, attributes in reader.elements if tag == "tr" and "data-at" in attributes]
    assert {int(row["data-at"]) for row in rows} == set(range(len(data["charts"])))
    for chart in data["charts"]:
        assert ElementTree.fromstring(chart).tag == f"{SVG}svg"
    assert len(data["runs"]) == 30
    assert sorted(data["heat"]) == ["gemm</script>[m=8]", "gemm</script>[m=8] loads", "scan[m=8]", "scan[m=8] loads"]


def test_changes_are_listed(page):
    assert '<b class="worse">3</b>worse after their latest change' in page
    assert re.search(r'<td class="worse">\+(19|20)\.\d%</td><td>0000000000</td>', page)
    assert '<td class="worse">+10.0%</td>' in page  # loads


def test_the_roofline_has_the_peak_of_the_device(page):
    assert "Roofline: NVIDIA H100<" in page
    assert "single-precision operations<" in page
    assert page.count("<circle") == 2
    assert "4 operations per byte" in page


def test_an_empty_history(tmp_path):
    with History(tmp_path / "empty.db", create=True) as empty:
        assert "No level changed." in dashboard.page(empty)


def values(*numbers):
    return [charts.Value(1.7e9 + at, f"commit{at}", number, number, number) for at, number in enumerate(numbers)]


NUMBERS = st.lists(st.floats(1e-9, 1e12), min_size=1, max_size=40)


@given(NUMBERS, st.sampled_from(["seconds", "loads"]))
def test_any_history_is_drawn_inside_its_box(numbers, metric):
    drawing = ElementTree.fromstring(charts.history("a <b>", metric, values(*numbers), []))
    assert drawing.get("aria-label") == "a <b>"
    for path in drawing.iter(f"{SVG}path"):
        for x, y in re.findall(r"M(-?[\d.e+]+) (-?[\d.e+]+)", path.get("d")):
            assert 0 <= float(x) <= charts.WIDTH
            assert 0 <= float(y) <= charts.HEIGHT
    ElementTree.fromstring(charts.small(numbers))


def test_change_points_are_labelled():
    numbers = [1.0] * 10 + [1.5] * 10
    text = charts.history("gemm", "seconds", values(*numbers), [Change(10, 1.0, 1.5, 0.4, 0.6, 1e-9)])
    assert "+50.0% at commit10" in text
    assert text.count("<rect") == 2  # a band for each level


@pytest.mark.parametrize(
    ("value", "text"), [(2.0, "2 s"), (1.5e-3, "1.5 ms"), (2.5e-6, "2.5 µs"), (3e-10, "0.3 ns"), (0.0, "0 ns")]
)
def test_times_have_units(value, text):
    assert charts.seconds(value) == text


@given(st.lists(st.tuples(st.floats(0.1, 10), st.floats(1e6, 1e15)), min_size=1, max_size=20))
def test_any_roofline_can_be_drawn(points):
    kernels = [charts.Kernel(f"kernel{at}", *point) for at, point in enumerate(points)]
    ElementTree.fromstring(charts.roofline(kernels, charts.Peak({"single": 1e12, "half": 2e12}, 1e11, "a device")))


def test_the_heat_map_has_a_pixel_per_value():
    uri = heat_map.image([[1.0, 1.1, 2.0], [None, 0.9, 0.5]])
    data = base64.b64decode(uri.partition(",")[2])
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", data[16:24]) == (3, 2)
    length = struct.unpack(">I", data[33:37])[0]
    lines = zlib.decompress(data[41 : 41 + length])
    pixels = [tuple(lines[row * 13 + 1 + 4 * at : row * 13 + 5 + 4 * at]) for row in range(2) for at in range(3)]
    same, slower, slowest, missing, faster, fastest = pixels
    assert same[3] == 0
    assert 0 < slower[3] < slowest[3] == 255
    assert slower[:3] == slowest[:3] != faster[:3] == fastest[:3]
    assert missing == heat_map.MISSING


def test_the_command(history, tmp_path, capsys):
    pytest.importorskip("scipy", reason="the extra `perf` is not installed")
    database, output = str(tmp_path / "history.db"), tmp_path / "page.html"
    files.write(tmp_path / "latest.json", run(29))
    (tmp_path / "report.md").write_text("text of the report")
    more = ["--latest", str(tmp_path / "latest.json"), "--report", str(tmp_path / "report.md")]
    assert __main__.main(["show", database, "--output", str(output), *more]) == 0
    assert "Roofline" in output.read_text()
    assert "text of the report" in output.read_text()
    picture = tmp_path / "picture.svg"
    assert __main__.main(["show", database, "--picture", "scan[m=8]", "--output", str(picture)]) == 0
    assert ElementTree.parse(picture).getroot().get("aria-label") == "scan[m=8]"
    for wrong, message in (
        (["--picture", "absent"], "the history has no 'absent'"),
        (["--last", "0"], "at least 1"),
        (["--report", "absent.md"], "absent.md"),
        (["--latest", "absent.json"], "absent.json"),
    ):
        assert __main__.main(["show", database, *wrong]) == 2
        assert message in capsys.readouterr().err


def test_changes_from_nothing_have_no_percentage():
    assert (charts.percent(0.25), charts.percent(float("inf"))) == ("+25.0%", "from 0")
