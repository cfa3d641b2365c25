# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Lightning Thunder's own tests, unchanged, with our executors: `python -m ci.thunder_tests --help`."""
