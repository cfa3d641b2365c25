# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Readers of images that contain PTX: cubins (ELF, DWARF), fatbins, archives."""
