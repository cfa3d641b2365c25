/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0
   The part of <limits.h> that NVIDIA's headers use. */
#pragma once
#define INT_MAX __INT_MAX__
