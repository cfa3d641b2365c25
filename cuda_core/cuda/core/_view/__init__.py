# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""StridedMemoryView, StridedLayout, and the DLPack and array interface protocols."""
