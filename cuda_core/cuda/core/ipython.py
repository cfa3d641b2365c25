# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The cell magic ``%%cuda`` for IPython and Jupyter: ``%load_ext cuda.core.ipython``.

``%%cuda`` compiles the cell as CUDA C++ and defines each of its kernels as a variable of that name. Errors of the
compiler are shown with the line numbers of the cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

try:
    from IPython.core.magic import Magics, cell_magic, magics_class
    from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
except ImportError as error:
    raise ImportError(f"cuda.core.ipython needs IPython (pip install ipython): {error}") from None

from cuda.bindings import driver
from cuda.core import CUDAError, Device, Module, ProgramOptions
from cuda.core._utils._options import similar

# A mangled C++ name of global scope: the length of the identifier, and the identifier with what follows.
_MANGLED = re.compile(r"_Z(\d+)(\w+)")


class CellError(Exception):
    """Report that a cell does not compile; IPython shows the message alone, without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return str(self).splitlines()


@magics_class
class CudaMagics(Magics):
    """The magics that the extension defines."""

    @magic_arguments()
    @argument("--arch", help="architecture such as sm_90; by default that of the current device")
    @argument("--std", help="C++ standard such as c++17")
    @argument("-I", "--include-path", action="append", default=[], help="folder in which #include looks")
    @argument("-i", "--include", action="append", default=[], help="header that is included before the cell")
    @argument("-D", "--define", action="append", default=[], help="macro: NAME or NAME=VALUE")
    @argument("-e", "--expression", action="append", default=[], help="instance of a template, as scale<float>")
    @argument("--fast-math", action="store_true", help="use fast, less exact floating-point functions")
    @argument("--lineinfo", action="store_true", help="keep line numbers for profilers and error messages")
    @argument("-n", "--name", help="variable for the Module, which also has the instances of templates")
    @cell_magic
    def cuda(self, line: str, cell: str) -> None:
        """Compile the cell as CUDA C++ and define its kernels as variables."""
        arguments = parse_argstring(self.cuda, line)
        if arguments.name and not arguments.name.isidentifier():
            raise CellError(f"--name must be the name of a variable, not {arguments.name!r}")
        _set_device()
        shell: Any = self.shell
        label = f"In[{shell.execution_count}]"
        try:
            options = _options(arguments, label)
            # An empty line stands for that of the magic, so that line numbers are those of the cell.
            module = Module.from_source(f"\n{cell}", options=options, name_expressions=arguments.expression)
            found = dict(_kernels(module, arguments.expression))
        except (CUDAError, TypeError, ValueError) as error:
            raise CellError(str(error)) from None
        shell.push(found)
        if arguments.name:
            shell.push({arguments.name: module})


def _options(arguments: Any, label: str) -> ProgramOptions:
    macros = [tuple(each.split("=", 1)) if "=" in each else each for each in arguments.define]
    return ProgramOptions(
        name=label,
        arch=arguments.arch,
        std=arguments.std,
        include_path=arguments.include_path or None,
        pre_include=arguments.include or None,
        define_macro=macros or None,
        use_fast_math=arguments.fast_math or None,
        lineinfo=arguments.lineinfo or None,
    )


def _kernels(module: Module, expressions: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield the kernels with names that can be variables; overloads and instances of templates have none."""
    names = module.kernel_names
    instances = {module.code.symbol_mapping.get(each) for each in expressions}
    plain = [(_plain(name), name) for name in names if name not in instances]
    for name, symbol in plain:
        if [other for other, _ in plain].count(name) == 1 and name.isidentifier():
            yield name, module.get_kernel(symbol)
    for each in expressions:
        name = each.partition("<")[0].strip()
        if sum(other.partition("<")[0].strip() == name for other in expressions) == 1 and name.isidentifier():
            yield name, module.get_kernel(each)


def _plain(symbol: str) -> str:
    """Return the name of a function of global scope from its symbol."""
    match = _MANGLED.match(symbol)
    return match[2][: int(match[1])] if match else symbol


def _set_device() -> None:
    """Make the first device current if the thread has none yet."""
    driver.cuInit(0)
    status, context = driver.cuCtxGetCurrent()
    if status == driver.CUresult.CUDA_SUCCESS and int(context) == 0:
        Device().set_current()


def _show_attribute_error(shell: Any, kind: Any, error: Any, traceback: Any, tb_offset: int | None = None) -> None:
    """Show an AttributeError of an object of this package with the name that was probably meant, as Python does."""
    owner = getattr(error, "obj", None)
    if type(owner).__module__.startswith("cuda."):
        meant = similar(error.name, [name for name in dir(owner) if not name.startswith("_")])
        if meant:
            error = kind(f"{error}. Did you mean: {meant!r}?").with_traceback(traceback)
    shell.showtraceback((kind, error, traceback), tb_offset=tb_offset)


def load_ipython_extension(ipython: Any) -> None:
    """Define the magics; ``%load_ext cuda.core.ipython`` calls this."""
    ipython.register_magics(CudaMagics)
    if not ipython.custom_exceptions:  # leave another handler alone
        ipython.set_custom_exc((AttributeError,), _show_attribute_error)


def unload_ipython_extension(ipython: Any) -> None:
    """Remove the magics; ``%unload_ext cuda.core.ipython`` calls this."""
    ipython.magics_manager.magics["cell"].pop("cuda", None)
    if ipython.custom_exceptions == (AttributeError,):
        ipython.set_custom_exc((), None)
