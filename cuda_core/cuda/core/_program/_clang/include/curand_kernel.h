// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Random numbers in kernels: cuRAND documentation, "Device API".
#pragma once
#pragma clang system_header
#include "open_cuda/random/distributions.h"
