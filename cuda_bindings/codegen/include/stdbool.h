/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0
   The part of <stdbool.h> that NVIDIA's headers use. */
#pragma once
#define bool _Bool
