/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0
   The part of <sys/socket.h> that NVIDIA's headers use: addresses, behind pointers only. */
#pragma once
#include <sys/types.h>
struct sockaddr;
