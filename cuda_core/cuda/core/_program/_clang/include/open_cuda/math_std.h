// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// The device's mathematical functions in namespace std of whole programs: LLVM's C++ library does not bring them there.
#pragma once
#include "math_names.h"

#define __OPEN_CUDA_USING(name) using ::name;
namespace std {
__OPEN_CUDA_MATH_ONE(__OPEN_CUDA_USING)
__OPEN_CUDA_MATH_TWO(__OPEN_CUDA_USING)
__OPEN_CUDA_MATH_CLASSES(__OPEN_CUDA_USING)
__OPEN_CUDA_MATH_OTHERS(__OPEN_CUDA_USING)
}
