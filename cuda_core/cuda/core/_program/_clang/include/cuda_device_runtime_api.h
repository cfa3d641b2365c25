// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Functions of the runtime API for kernels, which every program sees: programs that include them by name.
#pragma once
#include "cuda_runtime.h"
