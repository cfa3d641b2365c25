# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What `cuda.interop.numpy` and `cuda.interop.jax` share: operators on arrays in memory of the host. Needs NumPy only.

The function of an operator gets a `Spec` for each array, creates the outputs by `empty`, `zeros` and the like, and asks
for launches by `launch_kernel`. What it asks for is a `Plan`, which is kept for the next call with such shapes, types
and numbers.
"""
