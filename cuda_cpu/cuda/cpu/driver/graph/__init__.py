# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs: nodes, stream capture, instantiation, updates and execution."""
