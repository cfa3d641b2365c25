# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""From a PTX function to loaded machine code: JIT, tier-up, the cache on disk, and what explains the result."""
