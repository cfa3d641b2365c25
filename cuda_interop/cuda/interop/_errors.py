# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What the modules of all frameworks raise."""


class OperatorError(RuntimeError):
    """A kernel of an operator failed; the message names both."""
