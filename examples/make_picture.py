# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Draw picture.png, a small input for image_filter.py: python make_picture.py [OUT.png]"""

import pathlib
import sys

import numpy as np
from PIL import Image, ImageDraw

WIDTH, HEIGHT = 320, 200


def draw():
    """Return a picture of a lake at dusk: sky, sun, three ranges of hills, ripples, a boat."""
    fade = np.linspace(0, 1, HEIGHT)[:, None, None]
    sky = (1 - fade) * np.array([40, 50, 120]) + fade * np.array([255, 170, 90])
    picture = Image.fromarray(np.broadcast_to(sky, (HEIGHT, WIDTH, 3)).astype(np.uint8))
    pen = ImageDraw.Draw(picture)
    pen.ellipse((205, 62, 255, 112), fill=(255, 230, 150))
    x = np.arange(WIDTH)
    for level, (height, colour) in enumerate([(105, (120, 80, 110)), (120, (80, 55, 95)), (132, (45, 35, 70))]):
        hills = height - 14 * np.sin(x / (31 - 7 * level) + level) - 6 * np.sin(x / (11 - 2 * level))
        pen.polygon([(0, 150), *zip(x.tolist(), hills.tolist(), strict=True), (WIDTH, 150)], fill=colour)
    pen.rectangle((0, 148, WIDTH, HEIGHT), fill=(60, 60, 110))
    for row in range(152, HEIGHT, 6):
        width = 2 * (row - 140)
        pen.line((230 - width // 2, row, 230 + width // 2, row), fill=(240, 190, 130), width=2)
    pen.polygon([(80, 176), (130, 176), (120, 186), (90, 186)], fill=(110, 50, 30))
    pen.polygon([(104, 134), (104, 173), (78, 173)], fill=(240, 240, 230))
    pen.polygon([(107, 140), (107, 173), (126, 173)], fill=(200, 60, 50))
    return picture


if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).with_name("picture.png")
    draw().save(target, optimize=True)
