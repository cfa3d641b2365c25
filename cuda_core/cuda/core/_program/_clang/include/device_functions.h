// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Device functions, which cuda_runtime.h declares.
#pragma once
#include "cuda_runtime.h"
