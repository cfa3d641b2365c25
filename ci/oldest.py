# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Print the oldest allowed version of each dependency of pyproject.toml, as requirements for pip."""

import pathlib
import re
import tomllib

PROJECT = pathlib.Path(__file__).parents[1] / "pyproject.toml"


def main() -> None:
    project = tomllib.loads(PROJECT.read_text())["project"]
    for requirement in project["dependencies"] + project["optional-dependencies"]["cpu"]:
        bound = re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement)
        if bound is None:
            raise SystemExit(f"{requirement!r} in pyproject.toml is not of the form name>=version")
        print(bound.expand(r"\1==\2"))


if __name__ == "__main__":
    main()
