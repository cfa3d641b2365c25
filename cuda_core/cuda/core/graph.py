# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The class that other packages name to tell graph builders from streams; this version makes none."""


class GraphBuilder:
    """Capture work into a graph; not yet in this version, so that there are no instances."""

    def __new__(cls, *args, **kwargs):
        raise NotImplementedError(
            "cuda.core.graph.GraphBuilder is not yet in this version; capture with "
            "cuda.bindings.driver.cuStreamBeginCapture instead"
        )
