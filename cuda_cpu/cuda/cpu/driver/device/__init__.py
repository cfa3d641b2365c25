# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Devices and contexts: attributes, primary and green contexts, synchronisation, errors of a context."""
