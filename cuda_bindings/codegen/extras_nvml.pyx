# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0

def check_status(status):
    """check_status(status)\n--\n\nRaise the exception for a status; return 0 for success."""
    if status != 0:
        raise TABLES.failure("NvmlError", <int>as_signed(status, -0x80000000LL, 0xFFFFFFFFLL, b"check_status: status"))
    return 0


def check_status_size(status):
    """check_status_size(status)\n--\n\nDo as check_status(), but treat ERROR_INSUFFICIENT_SIZE as success.

    A function returns it when it is called to query a size.
    """
    return 0 if status == 7 else check_status(status)
