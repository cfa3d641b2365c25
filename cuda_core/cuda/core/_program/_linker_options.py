# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""LinkerOptions, and their translation to nvJitLink's options."""

from __future__ import annotations

from dataclasses import dataclass

from cuda.core._program._program_options import spell
from cuda.core._utils._options import named_options

# Field -> (kind of its value, nvJitLink's option). nvJitLink documentation, "Supported Link Options".
_NVJITLINK = {
    "arch": ("value", "-arch"),
    "max_register_count": ("value", "-maxrregcount"),
    "time": ("flag", "-time"),
    "verbose": ("flag", "-verbose"),
    "link_time_optimization": ("flag", "-lto"),
    "ptx": ("flag", "-ptx"),
    "debug": ("flag", "-g"),
    "lineinfo": ("flag", "-lineinfo"),
    "ftz": ("bool", "-ftz"),
    "prec_div": ("bool", "-prec-div"),
    "prec_sqrt": ("bool", "-prec-sqrt"),
    "fma": ("bool", "-fma"),
    "kernels_used": ("list", "-kernels-used"),
    "variables_used": ("list", "-variables-used"),
    "optimize_unused_variables": ("flag", "-optimize-unused-variables"),
    "ptxas_options": ("list", "-Xptxas"),
    "split_compile": ("value", "-split-compile"),
    "split_compile_extended": ("value", "-split-compile-extended"),
    "no_cache": ("flag", "-no-cache"),
    "numba_debug": ("flag", "-numba-debug"),
    "relocatable": ("flag", "-r"),
}


@named_options
@dataclass
class LinkerOptions:
    """Options of a `Linker`. None leaves an option to the linker.

    Thread safety: threads may read it together; assignments to its attributes are not guarded.

    Attributes
    ----------
    name : str
        The name of the result.
    arch : str
        The architecture, such as ``"sm_90"``; by default that of the current device.
    max_register_count : int
        The maximum number of registers per thread.
    time, verbose : bool
        Whether to log the time of each phase, and details.
    link_time_optimization : bool
        Whether to do link-time optimisation, for inputs in LTO-IR.
    ptx : bool
        Whether link-time optimisation produces PTX.
    optimization_level : int
        0 to 3.
    debug, lineinfo : bool
        Whether to generate debug information, or line information.
    ftz, prec_div, prec_sqrt, fma : bool
        As in ProgramOptions, for LTO-IR.
    kernels_used, variables_used : str or list of str
        The kernels and variables that are used; others may be removed.
    optimize_unused_variables : bool
        Whether to remove variables that no code uses.
    ptxas_options : str or list of str
        Options for ptxas.
    split_compile, split_compile_extended : int
        The number of threads for optimisation; 0 for all processors.
    no_cache : bool
        Whether to disable the linker's cache.
    numba_debug : bool
        Whether to generate debug information in Numba's form.
    relocatable : bool
        Whether to produce a relocatable object, as ``nvlink -r`` does; it must be linked again before it can be
        loaded.

    Examples
    --------
    >>> options = LinkerOptions(arch="sm_90", link_time_optimization=True, max_register_count=64)
    """

    name: str | None = "<default linker>"
    arch: str | None = None
    max_register_count: int | None = None
    time: bool | None = None
    verbose: bool | None = None
    link_time_optimization: bool | None = None
    ptx: bool | None = None
    optimization_level: int | None = None
    debug: bool | None = None
    lineinfo: bool | None = None
    ftz: bool | None = None
    prec_div: bool | None = None
    prec_sqrt: bool | None = None
    fma: bool | None = None
    kernels_used: str | tuple[str] | list[str] | None = None
    variables_used: str | tuple[str] | list[str] | None = None
    optimize_unused_variables: bool | None = None
    ptxas_options: str | tuple[str] | list[str] | None = None
    split_compile: int | None = None
    split_compile_extended: int | None = None
    no_cache: bool | None = None
    numba_debug: bool | None = None
    relocatable: bool | None = None

    def as_bytes(self, backend: str = "nvjitlink") -> list[bytes]:
        """Return the options in the linker's command-line form.

        Parameters
        ----------
        backend : str
            ``"nvjitlink"``.

        Returns
        -------
        list of bytes
            One item for each option.

        Raises
        ------
        ValueError
            If `backend` is another one, or a field has an invalid value.

        Examples
        --------
        >>> LinkerOptions(arch="sm_90", lineinfo=True, optimization_level=2).as_bytes()
        [b'-arch=sm_90', b'-lineinfo', b'-O2']
        """
        if str(backend).lower() != "nvjitlink":
            raise ValueError(f"backend must be 'nvjitlink', not {backend!r}")
        options = [
            text
            for field, (form, name) in _NVJITLINK.items()
            for text in spell(field, form, name, getattr(self, field))
        ]
        if self.optimization_level is not None:
            if self.optimization_level not in (0, 1, 2, 3):
                raise ValueError(f"optimization_level must be 0 to 3, not {self.optimization_level!r}")
            options.append(f"-O{self.optimization_level}")
        return [option.encode() for option in options]
