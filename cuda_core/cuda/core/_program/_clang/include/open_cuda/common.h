// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// What most programs use of cuda_runtime.h: where they need nothing else, only this is precompiled.
#pragma once
#pragma clang system_header
#include "../vector_functions.h"
#include "variables.h"
#include "runtime.h"
#include "integers.h"
#include "conversions.h"
#include "rounding.h"
#include "warp.h"
#include "atomics.h"
#include "exact_overloads.h"
#include "float_error_functions.h"
#include "float_trigonometric.h"
#include "standard.h"
