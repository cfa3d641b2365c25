// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "cuda_pipeline_primitives.h"
