/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0
   The part of <stddef.h> that NVIDIA's headers use. */
#pragma once
typedef __SIZE_TYPE__ size_t;
#define NULL ((void *)0)
