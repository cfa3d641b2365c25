# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Define, run and compare benchmarks of kernels: `python -m cuda.perf COMMAND`.

Each command is a module of `cuda.perf.commands` with `add_arguments(parser)` and `main(options)`, which returns the
exit code. Only the module of the given command is imported, so that commands need only their own packages.
"""

from __future__ import annotations

import argparse
import importlib
import sys

from cuda.perf.errors import CommandError

# Command, which is the name of its module -> help.
COMMANDS = {
    "run": "measure benchmarks and write the results to a file",
    "compare": "compare two result files: which benchmarks are faster, slower, unchanged, undecided",
    "environment": "print what a run records about this machine",
    "history": "add results to a history, list it, exchange it as JSON lines",
    "code": "count what the CPU device's compiler makes of kernels, without running them",
    "bisect": "find the commit, version or compiler option with which a value changed",
    "explain": "say why a benchmark changed between two runs",
    "publish": "write the result of compare as a comment or as XML of JUnit",
    "show": "write the dashboard of a history, or the picture of one benchmark",
    "watch": "find regressions in a history, confirm them by new runs and tell the owners",
}


def main(arguments: list[str]) -> int:
    """Run a command and return its exit code: 2 for wrong arguments and files."""
    parser = argparse.ArgumentParser(prog="python -m cuda.perf", description=(__doc__ or "").partition(":")[0] + ".")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    chosen = next((each for each in arguments if not each.startswith("-")), None)
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        if name == chosen:
            module = importlib.import_module(f"cuda.perf.commands.{name}")
            module.add_arguments(command)
    options = parser.parse_args(arguments)
    try:
        return int(module.main(options))
    except CommandError as error:
        print(f"python -m cuda.perf {options.command}: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
