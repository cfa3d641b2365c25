# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""How tileiras is found and run, with a script in its place."""

from __future__ import annotations

import pytest
from support.tileiras import bytecode

from cuda.cpu.compile import explain, tile_assembler
from cuda.cpu.ptx.error import NoAssemblerError, NoPtxError, PtxError
from cuda.cpu.ptx.image import image

CODE = bytecode((1, b"abc"))
ASSEMBLER = """#!/bin/sh
echo "$@" >> {log}
while [ $# -gt 1 ]; do [ "$1" = -o ] && out=$2; shift; done
cat "$1" > "$out"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder on PATH, the only one in which programs are found besides the system's."""
    monkeypatch.setattr("sys.path", [])
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("CUDA_CPU_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.delenv("CUDA_PATH", raising=False)
    return tmp_path


def install(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def test_it_is_run_once_for_each_code_and_architecture(folder):
    log = folder / "log"
    install(folder / "tileiras", ASSEMBLER.format(log=log))
    for capability in (89, 90, 86, 85, 120):
        assert tile_assembler.assemble(CODE, capability) == CODE
    used = [line.split()[0] for line in log.read_text().splitlines()]
    assert used == ["--gpu-name=sm_89", "--gpu-name=sm_86", "--gpu-name=sm_80"]
    assert "--lineinfo" in log.read_text()
    assert tile_assembler.assemble(bytecode((1, b"abd")), 89) == bytecode((1, b"abd"))
    assert len(log.read_text().splitlines()) == 4


def test_its_messages_are_those_of_the_error(folder):
    install(folder / "tileiras", '#!/bin/sh\nfor last; do :; done; echo "error: $last: bad opcode 7" >&2; exit 1\n')
    with pytest.raises(PtxError, match=r"^tileiras cannot assemble the Tile IR: error: kernel\.tile: bad opcode 7$"):
        tile_assembler.assemble(CODE, 89)
    install(folder / "tileiras", "#!/bin/sh\nexit 0\n")
    with pytest.raises(PtxError, match="cannot assemble the Tile IR: exit status 0"):
        tile_assembler.assemble(CODE, 89)
    install(folder / "tileiras", "#!/bin/no/such\n")
    with pytest.raises(PtxError, match="cannot assemble the Tile IR"):
        tile_assembler.assemble(CODE, 89)


def test_where_it_is_found(folder, monkeypatch):
    assert tile_assembler.find() is None
    toolkit = install(folder / "toolkit" / "bin" / "tileiras", "")
    monkeypatch.setenv("CUDA_HOME", str(folder / "toolkit"))
    assert tile_assembler.find() == toolkit
    on_path = install(folder / "tileiras", "")
    assert tile_assembler.find() == on_path
    package = install(folder / "site" / "nvidia" / "cu13" / "bin" / "tileiras", "")
    monkeypatch.setattr("sys.path", ["", str(folder / "site")])
    assert tile_assembler.find() == package


def test_it_is_not_taken_from_the_current_directory(folder, monkeypatch):
    (folder / "here").mkdir()
    install(folder / "here" / "tileiras", "")
    install(folder / "here" / "nvidia" / "cu13" / "bin" / "tileiras", "")
    monkeypatch.chdir(folder / "here")
    monkeypatch.setenv("PATH", ":.:/bin")
    monkeypatch.setattr("sys.path", ["", "."])
    assert tile_assembler.find() is None


def test_reasons_not_to_run_it(folder):
    with pytest.raises(NoAssemblerError, match="pip install nvidia-cuda-tileiras"):
        tile_assembler.assemble(CODE, 90)
    with pytest.raises(NoPtxError, match=r"needs compute capability 8\.0 or later"):
        tile_assembler.assemble(CODE, 75)


def test_explain_assembles_tile_ir(folder):
    """The script in place of tileiras returns PTX, where tileiras returns a cubin that contains it."""
    ptx = ".version 9.5\n.target sm_89\n.address_size 64\n.visible .entry k() .reqntid 64 .language 7 { ret; }\n"
    (folder / "k.ptx").write_text(ptx)
    install(folder / "tileiras", ASSEMBLER.format(log=folder / "log").replace('cat "$1"', f"cat {folder / 'k.ptx'}"))
    assert "k" in explain.explain(CODE)
    assert "--gpu-name=sm_89" in (folder / "log").read_text()
    with pytest.raises(NoPtxError, match="Tile IR has no PTX"):
        image.ptx_of(CODE)
