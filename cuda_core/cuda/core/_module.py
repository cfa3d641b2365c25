# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compatibility: the module name under which pickles from version 0.1 and earlier refer to `ObjectCode`."""

from cuda.core._program._module import ObjectCode as ObjectCode
