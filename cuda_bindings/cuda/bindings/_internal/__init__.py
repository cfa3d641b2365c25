# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Names that other packages import from private places of NVIDIA's cuda.bindings; ours live elsewhere."""
