# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0

def op_status_error(status):
    """op_status_error(status)\n--\n\nReturn what a status of cuFile means, in words.

    Parameters
    ----------
    status : OpError or int
    """
    number = as_signed(status, -0x80000000LL, 0xFFFFFFFFLL, b"op_status_error: status")
    known = {int(member): name for name, member in TABLES.attribute("OpError").__members__.items()}
    return known.get(number, "unknown cufile error").replace("_", " ").lower()
