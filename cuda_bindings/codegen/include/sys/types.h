/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0
   The part of <sys/types.h> that NVIDIA's headers use; 64-bit Linux. */
#pragma once
#include <stddef.h>
typedef long ssize_t;
typedef long off_t;
typedef long loff_t;
struct timespec;
