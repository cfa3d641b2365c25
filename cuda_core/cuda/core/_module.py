# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`ObjectCode` under the name that pickles of it had until 0.1."""

from cuda.core._program._module import ObjectCode as ObjectCode
