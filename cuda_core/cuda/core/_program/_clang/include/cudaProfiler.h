// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// cuProfilerStart and cuProfilerStop, which cuda.h declares.
#pragma once
#include "cuda.h"
