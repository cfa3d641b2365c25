# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""ObjectCode, which holds compiled code, and Module, which loads it and has its kernels as attributes."""

from __future__ import annotations

import os
from _thread import RLock  # threading is slow to import
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from cuda.core._errors import ClosedError, CUDAError
from cuda.core._launch._signature import kernel_signatures
from cuda.core._program._image_size import check_image
from cuda.core._utils._options import as_options

if TYPE_CHECKING:
    from cuda.core._launch._kernel import Kernel
    from cuda.core._memory._buffer import Buffer

_LOADABLE = ("ptx", "cubin", "fatbin", "tile_ir")
_publishing = RLock()  # around the assignment of what the first use has loaded


class ObjectCode:
    """Compiled code, in memory or in a file; it is loaded on first use, such as `get_kernel`.

    Objects come from `Program.compile`, `Linker.link` and the ``from_...`` methods. They can be pickled.

    Thread safety: threads may share it; code is loaded once.

    Examples
    --------
    >>> code = Program(source, "c++", ProgramOptions(arch=f"sm_{device.arch}")).compile("ptx")
    >>> ObjectCode.from_ptx(code.code).get_kernel("scale").num_arguments
    3
    """

    __slots__ = ("__weakref__", "_code", "_code_type", "_kinds", "_library", "_name", "_symbol_mapping")

    _code: bytes | str
    _code_type: str
    _name: str
    _symbol_mapping: dict[str, str]
    _kinds: dict[str, str] | None
    _library: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(
            "an ObjectCode is not made directly: use Program.compile or ObjectCode.from_ptx and the like"
        )

    @classmethod
    def _make(
        cls,
        code: bytes | str,
        code_type: str,
        name: str = "",
        symbol_mapping: dict[str, str] | None = None,
        kinds: dict[str, str] | None = None,
    ) -> ObjectCode:
        self = cls.__new__(cls)
        self._code = code
        self._code_type = code_type
        self._name = name
        self._symbol_mapping = dict(symbol_mapping or {})
        self._kinds = kinds
        self._library = None
        return self

    @classmethod
    def _given(cls, module: Any, code_type: str, name: str, mapping: dict[str, str] | None) -> ObjectCode:
        """Create an ObjectCode from bytes, or from the path of a file."""
        if isinstance(module, (bytes, bytearray, memoryview)):
            return cls._make(bytes(module), code_type, name, mapping)
        if not isinstance(module, (str, os.PathLike)):
            raise TypeError(
                f"module must be {code_type} code as bytes, or the path of a file, not {type(module).__name__}"
            )
        path = os.fspath(module)
        if isinstance(path, str) and ("\n" in path or "\0" in path):
            raise ValueError("module as a str is the path of a file: pass the code itself as bytes, by .encode()")
        return cls._make(os.fsdecode(path), code_type, name, mapping)

    @staticmethod
    def from_ptx(
        module: bytes | str | os.PathLike[str], *, name: str = "", symbol_mapping: dict[str, str] | None = None
    ) -> ObjectCode:
        """Create an ObjectCode from PTX.

        Parameters
        ----------
        module : bytes, str or path
            The code as bytes, or the path of a file, which is read when the code is loaded.
        name : str
            The name of the code, for messages.
        symbol_mapping : dict of str to str, optional
            Names for `get_kernel`, with the symbols that they stand for.

        Returns
        -------
        ObjectCode
            Code that is loaded at the first `get_kernel`.

        Raises
        ------
        TypeError
            If `module` is neither bytes nor a path.
        ValueError
            If `module` is a str with several lines or a NUL character: pass code as bytes.

        Examples
        --------
        >>> ptx = Program(source, "c++", ProgramOptions(arch="sm_90")).compile("ptx").code
        >>> ObjectCode.from_ptx(ptx, symbol_mapping={"double": "scale"}).get_kernel("double")
        <Kernel 'double'>
        """
        return ObjectCode._given(module, "ptx", name, symbol_mapping)

    @staticmethod
    def from_cubin(
        module: bytes | str | os.PathLike[str], *, name: str = "", symbol_mapping: dict[str, str] | None = None
    ) -> ObjectCode:
        """Create an ObjectCode from a cubin, machine code for one architecture.

        Parameters
        ----------
        module : bytes, str or path
            The code as bytes, or the path of a file, which is read when the code is loaded.
        name : str
            The name of the code, for messages.
        symbol_mapping : dict of str to str, optional
            Names for `get_kernel`, with the symbols that they stand for.

        Returns
        -------
        ObjectCode
            Code that is loaded at the first `get_kernel`. The CPU device needs a cubin compiled with ``lineinfo``.

        Raises
        ------
        TypeError
            If `module` is neither bytes nor a path.
        ValueError
            If `module` is a str with several lines or a NUL character: pass code as bytes.

        Examples
        --------
        >>> cubin = Program(source, "c++", ProgramOptions(arch="sm_90", lineinfo=True)).compile("cubin").code
        >>> ObjectCode.from_cubin(cubin).get_kernel("scale")
        <Kernel 'scale'>
        """
        return ObjectCode._given(module, "cubin", name, symbol_mapping)

    @staticmethod
    def from_fatbin(
        module: bytes | str | os.PathLike[str], *, name: str = "", symbol_mapping: dict[str, str] | None = None
    ) -> ObjectCode:
        """Create an ObjectCode from a fatbin, code for several architectures.

        Parameters
        ----------
        module : bytes, str or path
            The code as bytes, or the path of a file, which is read when the code is loaded.
        name : str
            The name of the code, for messages.
        symbol_mapping : dict of str to str, optional
            Names for `get_kernel`, with the symbols that they stand for.

        Returns
        -------
        ObjectCode
            Code that is loaded at the first `get_kernel`: the image that fits the device.

        Raises
        ------
        TypeError
            If `module` is neither bytes nor a path.
        ValueError
            If `module` is a str with several lines or a NUL character: pass code as bytes.

        Examples
        --------
        >>> ptx = Program(source, "c++", ProgramOptions(arch="sm_90")).compile("ptx")
        >>> fatbin = make_fatbin(ptx)
        >>> ObjectCode.from_fatbin(fatbin.code).get_kernel("scale")
        <Kernel 'scale'>
        """
        return ObjectCode._given(module, "fatbin", name, symbol_mapping)

    @staticmethod
    def from_ltoir(
        module: bytes | str | os.PathLike[str], *, name: str = "", symbol_mapping: dict[str, str] | None = None
    ) -> ObjectCode:
        """Create an ObjectCode from LTO-IR, which must be linked before it can be loaded.

        Parameters
        ----------
        module : bytes, str or path
            The code as bytes, or the path of a file, which is read when the code is linked.
        name : str
            The name of the code, for messages.
        symbol_mapping : dict of str to str, optional
            Names for `get_kernel` of the linked code, with the symbols that they stand for.

        Returns
        -------
        ObjectCode
            An input for a `Linker`.

        Raises
        ------
        TypeError
            If `module` is neither bytes nor a path.
        ValueError
            If `module` is a str with several lines or a NUL character: pass code as bytes.

        Examples
        --------
        >>> ltoir = Program(source, "c++", ProgramOptions(arch="sm_90")).compile("ltoir").code
        >>> options = LinkerOptions(arch="sm_90", link_time_optimization=True)
        >>> Linker(ObjectCode.from_ltoir(ltoir), options=options).link("cubin").code_type
        'cubin'
        """
        return ObjectCode._given(module, "ltoir", name, symbol_mapping)

    @staticmethod
    def from_tile_ir(
        module: bytes | str | os.PathLike[str], *, name: str = "", symbol_mapping: dict[str, str] | None = None
    ) -> ObjectCode:
        """Create an ObjectCode from Tile IR bytecode, which the driver assembles.

        Parameters
        ----------
        module : bytes, str or path
            The code as bytes, or the path of a file, which is read when the code is loaded.
        name : str
            The name of the code, for messages.
        symbol_mapping : dict of str to str, optional
            Names for `get_kernel`, with the symbols that they stand for.

        Returns
        -------
        ObjectCode
            Code that is loaded at the first `get_kernel`. The CPU device needs NVIDIA's assembler `tileiras` for it.

        Raises
        ------
        TypeError
            If `module` is neither bytes nor a path.
        ValueError
            If `module` is a str with several lines or a NUL character: pass code as bytes.

        Examples
        --------
        >>> ObjectCode.from_tile_ir("kernels.tileir")
        <ObjectCode '': tile_ir>
        """
        return ObjectCode._given(module, "tile_ir", name, symbol_mapping)

    @staticmethod
    def from_object(module: bytes | str, *, name: str = "", symbol_mapping: dict[str, str] | None = None) -> ObjectCode:
        """Create an ObjectCode from a host object file with device code, which must be linked before it can be loaded.

        Parameters
        ----------
        module : bytes, str or path
            The file's contents as bytes, or its path, which is read when the code is linked.
        name : str
            The name of the code, for messages.
        symbol_mapping : dict of str to str, optional
            Names for `get_kernel` of the linked code, with the symbols that they stand for.

        Returns
        -------
        ObjectCode
            An input for a `Linker`.

        Raises
        ------
        TypeError
            If `module` is neither bytes nor a path.
        ValueError
            If `module` is a str with several lines or a NUL character: pass code as bytes.

        Examples
        --------
        >>> Linker(ObjectCode.from_object("missing.o"))
        Traceback (most recent call last):
        ...
        cuda.core._program._nvjitlink_link.NvJitLinkError: ERROR_INVALID_INPUT (3) (nvJitLinkAddData)
        no such file: missing.o
        """
        return ObjectCode._given(module, "object", name, symbol_mapping)

    @staticmethod
    def from_library(
        module: bytes | str, *, name: str = "", symbol_mapping: dict[str, str] | None = None
    ) -> ObjectCode:
        """Create an ObjectCode from a static library with device code, which must be linked before it can be loaded.

        Parameters
        ----------
        module : bytes, str or path
            The file's contents as bytes, or its path, which is read when the code is linked.
        name : str
            The name of the code, for messages.
        symbol_mapping : dict of str to str, optional
            Names for `get_kernel` of the linked code, with the symbols that they stand for.

        Returns
        -------
        ObjectCode
            An input for a `Linker`.

        Raises
        ------
        TypeError
            If `module` is neither bytes nor a path.
        ValueError
            If `module` is a str with several lines or a NUL character: pass code as bytes.

        Examples
        --------
        >>> Linker(ObjectCode.from_library("libmissing.a"))
        Traceback (most recent call last):
        ...
        cuda.core._program._nvjitlink_link.NvJitLinkError: ERROR_INVALID_INPUT (3) (nvJitLinkAddData)
        no such file: libmissing.a
        """
        return ObjectCode._given(module, "library", name, symbol_mapping)

    @property
    def code(self) -> bytes | str:
        """Return the code as bytes, or the path of its file."""
        return self._code

    @property
    def code_type(self) -> str:
        """Return the type of the code, such as ``"ptx"`` or ``"cubin"``."""
        return self._code_type

    @property
    def name(self) -> str:
        """Return the name of the code."""
        return self._name

    @property
    def symbol_mapping(self) -> dict[str, str]:
        """Return the names for `get_kernel`, with the symbols that they stand for."""
        return dict(self._symbol_mapping)

    def _bytes(self) -> bytes:
        if isinstance(self._code, bytes):
            return self._code
        with open(self._code, "rb") as file:
            return file.read()

    def _signatures(self) -> dict[str, str]:
        """Return the kinds of the kernels' parameters, as far as known; see `kernel_signatures`."""
        if self._kinds is None:
            text = self._bytes().decode(errors="replace") if self._code_type == "ptx" else ""
            self._kinds = kernel_signatures(text)
        return self._kinds

    def _load(self) -> Any:
        from cuda.core._program._library import Library

        if self._library is None:
            if self._code_type not in _LOADABLE:
                raise CUDAError(
                    f"{self._code_type} code cannot be loaded: link it to a cubin first, with a Linker",
                    name="CUDA_ERROR_INVALID_IMAGE",
                    status=200,
                )
            if isinstance(self._code, bytes):
                check_image(self._code)
            made = Library(self._code)
            with _publishing:
                if self._library is None:
                    self._library = made
        return self._library

    @property
    def handle(self) -> Any:
        """Return the loaded code as `cuda.bindings.driver.CUlibrary`; it stays loaded from now on."""
        from cuda.bindings import driver

        return driver.CUlibrary(self._load().handle)

    def get_module(self) -> Any:
        """Return the loaded code as `cuda.bindings.driver.CUmodule` of the current context (cuLibraryGetModule).

        Returns
        -------
        cuda.bindings.driver.CUmodule
            A handle for calls of `cuda.bindings.driver`; the code stays loaded from now on.

        Raises
        ------
        CUDAError
            If the code cannot be loaded, must be linked first, or the thread has no current device.

        Examples
        --------
        >>> from cuda.bindings import driver
        >>> code = Program(source, "c++").compile("ptx")
        >>> status, function = driver.cuModuleGetFunction(code.get_module(), b"scale")
        >>> status.name
        'CUDA_SUCCESS'
        """
        from cuda.bindings import driver

        return driver.CUmodule(self._load().module())

    def get_kernel(self, name: str | bytes) -> Kernel:
        """Return a kernel (cuLibraryGetKernel); the first call loads the code.

        Parameters
        ----------
        name : str
            The declared name of an ``extern "C"`` kernel, one of the `name_expressions`, or the mangled name.

        Returns
        -------
        Kernel
            The kernel, which keeps the code loaded.

        Raises
        ------
        CUDAError
            If there is no such kernel (the message lists the existing ones), or the code cannot be loaded or must be
            linked first.
        ValueError
            If `name` contains a NUL character, or the headers of a cubin or fatbin refer to bytes outside of it.

        Examples
        --------
        >>> text = "template <class T> __global__ void zero(T *x) { *x = 0; }"
        >>> code = Program(text, "c++").compile("ptx", name_expressions=["zero<float>"])
        >>> code.get_kernel("zero<float>").num_arguments
        1
        """
        library, kinds = self._library, self._kinds
        if library is None or kinds is None:
            library, kinds = self._load(), self._signatures()
        return library.kernel(name, self._symbol_mapping, kinds)

    def __reduce__(self) -> tuple:
        return ObjectCode._make, (self._code, self._code_type, self._name, self._symbol_mapping, self._kinds)

    def _repr_html_(self) -> str:
        from cuda.core._utils._html import of_code

        return of_code(self)

    def __repr__(self) -> str:
        return f"<ObjectCode {self._name!r}: {self._code_type}>"


class Module:
    """Loaded code, whose kernels are its attributes.

    Thread safety: threads may share it; code is loaded once.

    Parameters
    ----------
    code : ObjectCode
        The code to load.

    Examples
    --------
    >>> module = Module.from_source('extern "C" __global__ void add(int *x) { x[0] += 1; }')
    >>> launch(stream, LaunchConfig(grid=1, block=1), module.add, buffer)
    """

    def __init__(self, code: ObjectCode) -> None:
        if not isinstance(code, ObjectCode):
            raise TypeError(f"code must be an ObjectCode, not {type(code).__name__}; Module.from_source compiles text")
        code._load()
        self._code: ObjectCode | None = code

    @classmethod
    def from_source(
        cls,
        code: str,
        code_type: str = "c++",
        *,
        options: Any = None,
        name_expressions: Sequence[str] = (),
        logs: Any = None,
    ) -> Module:
        """Compile and load a program.

        Parameters
        ----------
        code : str
            The source.
        code_type : str
            ``"c++"`` or ``"ptx"``.
        options : ProgramOptions, optional
            The options of the compilation. By default, messages name the program by its first kernel: ``scale.cu``.
        name_expressions : sequence of str
            C++ names of kernels and variables; see `Program.compile`.
        logs : object with ``write``, optional
            The object to which the compiler's messages are written.

        Returns
        -------
        Module
            The loaded code for the current device.

        Raises
        ------
        NVRTCError, NvJitLinkError
            If it does not compile; the message shows the source lines.
        CUDAError
            If the code cannot be loaded.
        TypeError
            If `options` has a wrong type.

        Examples
        --------
        >>> module = Module.from_source(source, options=ProgramOptions(use_fast_math=True))
        >>> module.kernel_names
        ['scale']
        """
        from cuda.bindings._loader import will_use_cpu
        from cuda.core import Program, ProgramOptions
        from cuda.core._program._diagnostics import file_name

        options = as_options(ProgramOptions, options, "options")
        if options.name == ProgramOptions.name:
            options = copy(options)
            options.name = file_name(code) or options.name
        with Program(code, code_type, options) as program:
            # The CPU device compiles PTX itself: assembling a cubin first would only cost time.
            target = "ptx" if will_use_cpu() else "cubin"
            return cls(program.compile(target, name_expressions, logs))

    @property
    def code(self) -> ObjectCode:
        """Return the code that was loaded."""
        if self._code is None:
            raise ClosedError("this Module is closed")
        return self._code

    def get_kernel(self, name: str | bytes) -> Kernel:
        """Return a kernel by name; as an attribute, ``module.scale`` does the same.

        Parameters
        ----------
        name : str
            The name, as for `ObjectCode.get_kernel`.

        Returns
        -------
        Kernel
            The kernel, which keeps the code loaded.

        Raises
        ------
        CUDAError
            If there is no such kernel; the message lists the existing ones.
        ValueError
            If `name` contains a NUL character.
        ClosedError
            If the module is closed.

        Examples
        --------
        >>> Module.from_source(source).get_kernel("scale")
        <Kernel 'scale'>
        """
        return self.code.get_kernel(name)

    def get_global(self, name: str | bytes) -> Buffer:
        """Return a ``__device__`` or ``__constant__`` variable (cuLibraryGetGlobal).

        Parameters
        ----------
        name : str
            The variable's name: mangled, unless it is ``extern "C"`` or one of the `name_expressions` (as
            ``"&name"``).

        Returns
        -------
        Buffer
            The variable's memory on the current device; closing the Buffer does not affect the variable.

        Raises
        ------
        CUDAError
            If there is no such variable.
        ValueError
            If `name` contains a NUL character.
        ClosedError
            If the module is closed.

        Examples
        --------
        >>> module = Module.from_source('extern "C" __device__ float table[4] = {1, 2, 3, 4};')
        >>> values = module.get_global("table").copy_to(np.empty(4, np.float32), stream=stream)
        >>> stream.sync()
        >>> print(values)
        [1. 2. 3. 4.]
        """
        from cuda.core._memory._buffer import Buffer
        from cuda.core._program._library import symbol_of

        library = self.code._load()
        ptr, size = library.variable(symbol_of(name, self.code._symbol_mapping))
        return Buffer.from_handle(ptr, size, owner=library)

    @property
    def kernel_names(self) -> list[str]:
        """Return the mangled names of all kernels."""
        return list(self.code._load().kernel_names())

    def close(self) -> None:
        """Release the code, which is unloaded when none of its kernels is in use. Closing twice does nothing.

        Examples
        --------
        >>> module = Module.from_source(source)
        >>> scale = module.scale
        >>> module.close()
        >>> scale.num_arguments  # a kernel keeps the code loaded
        3
        """
        self._code = None

    def __enter__(self) -> Module:
        return self

    def __exit__(self, exc_type: object, exc_val: object, exc_tb: object) -> None:
        self.close()

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("__") or "_code" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        if name.startswith(("_repr_", "_ipython_")):  # asked by notebooks of every object
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        if self._code is None:
            raise AttributeError(f"this {type(self).__name__} is closed: it has no kernel {name!r} any more")
        from cuda.core._errors import CUDAError

        try:
            return self.get_kernel(name)
        except CUDAError as error:
            if error.name != "CUDA_ERROR_NOT_FOUND":
                raise
            raise AttributeError(str(error)) from None

    def __dir__(self) -> list[str]:
        mapped = self.code._symbol_mapping if self._code is not None else {}
        return sorted({*super().__dir__(), *(self.kernel_names if self._code is not None else ()), *mapped})

    def _repr_html_(self) -> str:
        from cuda.core._utils._html import of_module

        return of_module(self)

    def __repr__(self) -> str:
        return "<Module closed>" if self._code is None else f"<Module of {self._code!r}>"
