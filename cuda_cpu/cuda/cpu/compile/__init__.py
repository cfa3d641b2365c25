# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""From a PTX kernel to loaded machine code: JIT, tier-up, disk cache, locations of faults, and `explain`."""
