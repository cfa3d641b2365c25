/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0
   The OpenGL types that cudaGL.h names (OpenGL registry: unsigned 32-bit each). */
#pragma once
typedef unsigned int GLenum;
typedef unsigned int GLuint;
