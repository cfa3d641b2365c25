# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""rattler-build reads the conda recipe: `pip install py-rattler-build`, 30 MB, which CI does not install."""

import pathlib

import pytest

rattler_build = pytest.importorskip("rattler_build", reason="needs py-rattler-build")
RECIPE = pathlib.Path(__file__).parents[2] / "ci/conda/recipe.yaml"
VARIANTS = """\
python: ["3.11.* *_cpython", "3.14.* *_cp314"]
c_compiler: [gcc]
c_compiler_version: ["14"]
c_stdlib: [sysroot]
c_stdlib_version: ["2.28"]
"""


@pytest.mark.parametrize(
    ("platform", "build"),
    [
        ("linux-64", {"gcc_linux-64 14.*", "sysroot_linux-64 2.28.*"}),
        ("linux-aarch64", {"gcc_linux-aarch64 14.*", "sysroot_linux-aarch64 2.28.*", "cross-python_linux-aarch64"}),
    ],
)
def test_the_recipe_renders(platform, build):
    recipe = rattler_build.Stage0Recipe.from_yaml(RECIPE.read_text())
    config = rattler_build.PlatformConfig(target_platform=platform, build_platform="linux-64")
    variants = rattler_build.VariantConfig.from_yaml(VARIANTS)
    rendered = recipe.render(variants, rattler_build.RenderConfig(platform=config))
    assert len(rendered) == 2
    for variant in rendered:
        found = variant.recipe.to_dict()
        assert build <= set(found["requirements"]["build"])
        assert {"python", "pip"} < set(found["requirements"]["host"])
        assert found["build"]["string"].startswith(("py311", "py314"))
