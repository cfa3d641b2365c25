# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The frame of the HTML pages, which load nothing from elsewhere."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 80rem; padding: 0 1rem; }
.scroll { overflow-x: auto; }
svg text { fill: currentColor; font: 12px system-ui, sans-serif; }
"""


def document(title: str, style: str, body: str) -> str:
    """Return a page with a heading; `style` is CSS that is added to the common one."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}{style}</style></head>'
        f"<body><h1>{title}</h1>{body}</body></html>\n"
    )
