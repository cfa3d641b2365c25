// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Types of textures, which cuda_runtime.h declares.
#pragma once
#include "cuda_runtime.h"
