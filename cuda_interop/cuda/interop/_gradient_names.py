# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The parameters of gradients, which are matched by names: parameters and outputs of the operator, their gradients."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from cuda.interop._signature import Signature


class GradientNames:
    """What the gradient of an operator takes and returns.

    Attributes
    ----------
    inputs, outputs, grads : list of str
        The names that it may take: the operator's parameters, `out` (`out_0`, `out_1` and so on of several outputs),
        and their gradients `grad` (`grad_0` and so on).
    takes : list of str
        Those that it takes.
    wrt : tuple of str
        The parameters whose gradients it returns.
    """

    def __init__(self, name: str, signature: Signature, function: Callable[..., Any], wrt: Any) -> None:
        self.wrt = tuple(signature.tensors) if wrt is None else signature.options.names("wrt", wrt)
        if not self.wrt or len(set(self.wrt)) < len(self.wrt):
            raise ValueError(f"{name}: wrt is {wrt!r:.60}, must name each parameter that has a gradient once")
        if not callable(function):
            raise TypeError(f"{name}: its gradient is {function!r:.60}, must be a function or an operator")
        self.inputs = [each.name for each in signature.parameters]
        count = 1 if signature.returned is None else signature.returned
        suffixes = [""] if signature.returned is None else [f"_{index}" for index in range(count)]
        self.outputs, self.grads = ([f"{kind}{suffix}" for suffix in suffixes] for kind in ("out", "grad"))
        self.takes = list(inspect.signature(function).parameters)
        if unknown := [each for each in self.takes if each not in (*self.inputs, *self.outputs, *self.grads)]:
            known = ", ".join([*self.inputs, *self.outputs, *self.grads])
            raise TypeError(f"{name}: its gradient takes {unknown[0]!r}, must be one of {known}")
        if twice := [each for each in self.takes if each in self.inputs and each in (*self.outputs, *self.grads)]:
            what = "an output" if twice[0] in self.outputs else "the gradient of an output"
            raise TypeError(
                f"{name}: its gradient takes {twice[0]!r}, which is a parameter of the operator and {what}: give the "
                "parameter of the operator another name"
            )

    def check_count(self, name: str, found: Sequence[Any]) -> None:
        """Raise if a gradient returns another number of values than there are parameters to differentiate."""
        if len(found) != len(self.wrt):
            raise RuntimeError(
                f"{name}: its gradient returns {len(found)} values, but there are {len(self.wrt)} parameters to "
                f"differentiate ({', '.join(self.wrt)}): name those that have a gradient, wrt=(...)"
            )
