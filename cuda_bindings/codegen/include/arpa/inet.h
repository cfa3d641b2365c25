/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0
   <arpa/inet.h>, of which NVIDIA's headers use nothing themselves. */
#pragma once
#include <sys/socket.h>
