# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# Functions of cuda.bindings.runtime that no header declares; write_python.py appends them to runtime.pyx.


def getLocalRuntimeVersion():
    """getLocalRuntimeVersion()\n--\n\nReturn status and version of the runtime library: cudaRuntimeGetVersion()."""
    return cudaRuntimeGetVersion()


def make_cudaExtent(w, h, d):
    """make_cudaExtent(w, h, d)\n--\n\nReturn a cudaExtent of width w, height h and depth d."""
    extent = TABLES.attribute("cudaExtent")()
    extent.width, extent.height, extent.depth = w, h, d
    return extent


def make_cudaPitchedPtr(d, p, xsz, ysz):
    """make_cudaPitchedPtr(d, p, xsz, ysz)\n--\n\nReturn a cudaPitchedPtr to memory d with pitch p, of xsz by ysz."""
    pitched = TABLES.attribute("cudaPitchedPtr")()
    pitched.ptr, pitched.pitch, pitched.xsize, pitched.ysize = d, p, xsz, ysz
    return pitched


def make_cudaPos(x, y, z):
    """make_cudaPos(x, y, z)\n--\n\nReturn a cudaPos at x, y and z."""
    position = TABLES.attribute("cudaPos")()
    position.x, position.y, position.z = x, y, z
    return position
