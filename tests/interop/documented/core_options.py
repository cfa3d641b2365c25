# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Options of programs and linkers: accepted kinds of values, and what they become."""

from common import outcome

from cuda.core import Device, LaunchConfig, LinkerOptions, Program, ProgramOptions

Device().set_current()
options = ProgramOptions(
    std="c++17",
    arch="sm_90",
    relocatable_device_code=True,
    debug=False,
    lineinfo=True,
    max_register_count=64,
    use_fast_math=True,
    fma=False,
    ftz=True,
    prec_sqrt=False,
    define_macro=["A", ("B", "2"), ("C", "3")],
    undefine_macro="U",
    include_path=["/tmp", "/usr/include"],
    pre_include=None,
    no_source_include=True,
    builtin_move_forward=False,
    diag_suppress=[177, 550],
    diag_error=1,
    brief_diagnostics=True,
    time=None,
    minimal=None,
    device_int128=True,
    ptxas_options=["-v", "-O1"],
    extensible_whole_program=False,
    name="mine",
)
for target in ("ptx", "cubin"):
    print([each for each in options.as_bytes("nvrtc", target) if b"arch" not in each])
print(
    outcome(
        lambda: LinkerOptions(arch="sm_90", lineinfo=True, max_register_count=32, kernels_used=["a", "b"]).as_bytes(
            "nvjitlink"
        )
    )
)
print(outcome(ProgramOptions, nothing=1))
print(outcome(Program, "x", "fortran"), outcome(Program, 3, "c++"))
print(outcome(Program, "x", "c++", 3))
for arguments in ((4, 32), ((2, 3), (8, 4)), ((2, 3, 4), 16)):
    print(LaunchConfig(grid=arguments[0], block=arguments[1]))
config = LaunchConfig(grid=2, block=64, shmem_size=128)
print(config.grid, config.block, config.shmem_size, config.cluster, outcome(lambda: config.cooperative_launch))
print(
    config == LaunchConfig(grid=(2, 1, 1), block=64, shmem_size=128),
    hash(config) == hash(LaunchConfig(grid=2, block=64, shmem_size=128)),
)
print(
    outcome(LaunchConfig, grid=(1, 2, 3, 4), block=1),
    outcome(LaunchConfig, grid="a", block=1),
    outcome(LaunchConfig, grid=1),
)
print(outcome(LaunchConfig, grid=1, block=0).__class__.__name__, outcome(LaunchConfig, grid=1.5, block=1))
