# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings._struct import CType

class KernelParameters(CType):
    def __init__(self, *args: object, **kwargs: object) -> None: ...

class Packed: ...
