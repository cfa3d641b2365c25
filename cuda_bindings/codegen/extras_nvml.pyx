# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0

def check_status(status):
    """check_status(status)\n--\n\nRaise the exception that stands for a status; return 0 if that is success."""
    if status != 0:
        raise TABLES.failure("NvmlError", <int>as_signed(status, -0x80000000LL, 0xFFFFFFFFLL, b"check_status: status"))
    return 0


def check_status_size(status):
    """check_status_size(status)\n--\n\nDo as check_status(), but take ERROR_INSUFFICIENT_SIZE for success.

    It is the answer of a function that was asked for a size.
    """
    return 0 if status == 7 else check_status(status)
