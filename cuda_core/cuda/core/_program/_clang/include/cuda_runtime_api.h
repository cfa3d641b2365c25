// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Whole programs only: the runtime API.
#pragma once
#include "cuda_runtime.h"
