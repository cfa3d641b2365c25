# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The rule of jax.vmap for an operator: one call where leading axes are free, otherwise a call for each element."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import jax

from cuda.interop._signature import SCALAR, Signature


def with_rule(
    name: str, call: Callable[..., Any], signature: Signature, leading: Collection[str]
) -> Callable[..., Any]:
    """Return the function of numbers and arrays that an operator is, with its rule for `jax.vmap`.

    Parameters
    ----------
    name : str
        The operator.
    call : callable
        Its outputs, of what is no array and of arrays, as a tuple.
    signature : Signature
        Its signature.
    leading : collection of str
        Parameters that may have any number of leading axes, which the outputs then have, too.
    """

    def mapped(static: Any) -> Callable[..., Any]:
        run = jax.custom_batching.custom_vmap(lambda *arrays: call(static, *arrays))
        present = [
            each.name
            for each, value in zip(signature.parameters, static.values, strict=True)
            if each.kind != SCALAR and value is not None
        ]

        @run.def_vmap
        def rule(size: int, is_mapped: Sequence[bool], *arrays: Any) -> tuple[Any, Any]:
            if all(name in leading for name, each in zip(present, is_mapped, strict=True) if each):
                results = run(
                    *(
                        jax.numpy.broadcast_to(array, (size, *array.shape)) if name in leading and not each else array
                        for name, array, each in zip(present, arrays, is_mapped, strict=True)
                    )
                )
            else:
                kept = [array for array, each in zip(arrays, is_mapped, strict=True) if each]

                def one(slices: Sequence[Any]) -> Any:
                    given = iter(slices)
                    return run(*(next(given) if each else array for array, each in zip(arrays, is_mapped, strict=True)))

                results = jax.lax.map(one, kept)
            return results, (True,) * len(results)

        return run

    def function(static: Any, *arrays: Any) -> Any:
        results = mapped(static)(*arrays)
        return results[0] if signature.returned is None else results

    function.__name__ = name
    return function
