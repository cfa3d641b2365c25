# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import importlib
import importlib.util
import json

import pytest

from cuda.perf import __main__ as command
from cuda.perf.model import Environment, Noise


@pytest.mark.parametrize("name", command.COMMANDS)
def test_every_command_of_the_table_has_a_module(name, capsys):
    module = importlib.import_module(f"cuda.perf.commands.{name}")
    assert callable(module.add_arguments)
    with pytest.raises(SystemExit) as caught:
        command.main([name, "--help"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: python -m cuda.perf {name} ")


@pytest.mark.parametrize("arguments", [[], ["walk"], ["environment", "--colour"]])
def test_wrong_arguments_exit_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        command.main(arguments)
    assert caught.value.code == 2


def test_the_environment_is_described(capsys):
    assert command.main(["environment", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"machine_id", "noise", *vars(Environment())}
    assert set(found["noise"]) == set(vars(Noise()))
    assert found["device"]
    assert found["cores"] > 0
    assert found["compiler"].startswith("NVRTC 1")


def test_hints_come_from_pyperf(capfd):
    pytest.importorskip("pyperf", reason="pyperf, of the extra perf, knows the system's settings")
    command.main(["environment", "--hints"])
    assert "System state" in capfd.readouterr().out


def test_hints_without_pyperf_name_the_extra(monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert command.main(["environment", "--hints"]) == 2
    assert "pip install 'open-cuda-python[perf]'" in capsys.readouterr().err
