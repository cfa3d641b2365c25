# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0

def check_status(status):
    """check_status(status)\n--\n\nRaise CudlaError for a status that is not success."""
    if status != 0:
        raise TABLES.failure("CudlaError", <int>as_signed(status, -0x80000000LL, 0xFFFFFFFFLL, b"check_status: status"))
