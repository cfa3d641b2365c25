# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Running programs that were written for libcuda: `python -m cuda.cpu run`, forwarders, embedded Python."""
