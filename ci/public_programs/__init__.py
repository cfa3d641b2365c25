# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Public programs of other packages, run unchanged on the CPU device: `python -m ci.public_programs --help`."""
