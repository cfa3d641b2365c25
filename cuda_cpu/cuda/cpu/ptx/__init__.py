# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""PTX front end: from PTX text, cubins or fatbins to a parsed, linked and checked program."""
