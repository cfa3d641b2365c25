# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What all parts of the driver use: errors, handles, addresses, limits, the log."""
