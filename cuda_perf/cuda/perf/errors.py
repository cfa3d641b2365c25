# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What commands report to the user in one line."""


class CommandError(Exception):
    """A wrong option, file or benchmark; the message says what to change. The exit code is 2."""
