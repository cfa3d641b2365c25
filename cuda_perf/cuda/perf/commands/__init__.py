# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The commands of `python -m cuda.perf`, one module each; `__main__` has the table."""
