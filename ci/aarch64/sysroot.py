# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""An aarch64 Debian in a folder, and qemu's user-mode emulator, without root and without a change to this machine.

apt has a configuration and state of its own here: the machine's list of architectures and packages stay as they are.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess

MIRROR = "http://deb.debian.org/debian"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
# Version of Python -> the Debian that has it.
SUITES = {"3.11": "bookworm", "3.13": "trixie", "3.14": "sid"}
QEMU_SUITE = "trixie"  # 10.0; bookworm's 7.2 is slower, and gives the host's /proc/cpuinfo to the guest

CONFIGURATION = """\
APT::Architecture "{architecture}";
APT::Architectures {{ "{architecture}"; }};
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Debug::NoLocking "true";
Dir::State "{folder}";
Dir::State::status "{folder}/status";
Dir::State::lists "{folder}/lists";
Dir::Cache "{folder}/cache";
Dir::Etc::sourcelist "{folder}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
"""


class Apt:
    """apt-get for another suite and architecture, with its state in a folder."""

    def __init__(self, folder: pathlib.Path, suite: str, architecture: str) -> None:
        self.folder = folder
        for name in ("lists/partial", "cache/archives/partial"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "status").touch()
        (folder / "sources.list").write_text(f"deb [signed-by={KEYS}] {MIRROR} {suite} main\n")
        configuration = folder / "apt.conf"
        configuration.write_text(CONFIGURATION.format(architecture=architecture, folder=folder))
        self.environment = os.environ | {"APT_CONFIG": str(configuration)}
        self.run("update")

    def run(self, *arguments: str) -> None:
        command = ["apt-get", "-q", *arguments]
        subprocess.run(command, cwd=self.folder, env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def unpack(self, into: pathlib.Path, *names: str, with_dependencies: bool = True) -> None:
        """Download packages and unpack them into a folder, without running their scripts."""
        if with_dependencies:
            self.run("install", "-y", "--download-only", *names)
            archives = sorted((self.folder / "cache/archives").glob("*.deb"))
        else:
            self.run("download", *names)
            archives = sorted(self.folder.glob("*.deb"))
        for archive in archives:
            subprocess.run(["dpkg-deb", "-x", str(archive), str(into)], check=True)


def make_qemu(folder: pathlib.Path) -> pathlib.Path:
    """Return the path of qemu-aarch64."""
    program = folder / "qemu-aarch64"
    if not program.exists():
        native = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True)
        apt = Apt(folder / "apt-qemu", QEMU_SUITE, native.stdout.strip())
        apt.unpack(folder / "qemu", "qemu-user", with_dependencies=False)
        shutil.copy(folder / "qemu/usr/bin/qemu-aarch64", program)
        shutil.rmtree(folder / "qemu")
    return program


def make_sysroot(folder: pathlib.Path, version: str) -> pathlib.Path:
    """Return a folder with Debian's Python of a version for aarch64, and the libraries that it needs."""
    root = folder / f"root-{version}"
    if not root.exists():
        apt = Apt(folder / f"apt-{version}", SUITES[version], "arm64")
        apt.unpack(folder / "unfinished", f"python{version}", "libstdc++6", "zlib1g")
        if not (folder / "unfinished/lib").exists():  # a link in an installed system since Debian 13
            (folder / "unfinished/lib").symlink_to("usr/lib")
        (folder / "unfinished").rename(root)
    return root


def make_environment(folder: pathlib.Path, version: str) -> pathlib.Path:
    """Return a virtual environment whose `bin/python` runs in the emulator, from any program of this machine."""
    qemu, root = make_qemu(folder), make_sysroot(folder, version)
    environment = folder / f"env-{version}"
    packages = environment / f"lib/python{version}/site-packages"
    packages.mkdir(parents=True, exist_ok=True)
    (environment / "bin").mkdir(exist_ok=True)
    (environment / "pyvenv.cfg").write_text(f"home = {root}/usr/bin\nversion = {version}\n")
    python = environment / "bin/python"
    # -0: Python finds its environment by its own path, and starts further processes by it.
    python.write_text(f'#!/bin/sh\nexec {qemu} -0 {python} -L {root} {root}/usr/bin/python{version} "$@"\n')
    python.chmod(0o755)
    return environment
