# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import pickle

import numpy as np
import pytest

from cuda.core import LaunchConfig, launch


def test_fields():
    config = LaunchConfig(grid=2, block=(3, 4), cluster=[5], shmem_size=6, is_cooperative=True)
    assert (config.grid, config.block, config.cluster) == ((2, 1, 1), (3, 4, 1), (5, 1, 1))
    assert (config.shmem_size, config.is_cooperative, config.programmatic_stream_serialization) == (6, True, False)
    assert LaunchConfig(grid=1, block=1).cluster is None
    assert LaunchConfig(grid=1, block=1).shmem_size == 0


def test_equal_configurations_hash_equally():
    first, same, other = LaunchConfig(1, None, 2), LaunchConfig(grid=(1,), block=(2, 1)), LaunchConfig(1, None, 3)
    assert first == same
    assert hash(first) == hash(same)
    assert first != other
    assert first != 1


def test_pickle_and_repr():
    config = LaunchConfig(grid=(2, 3), block=4, shmem_size=8)
    assert pickle.loads(pickle.dumps(config)) == config
    assert eval(repr(config)) == config


CHANGES = {
    "grid": (2, 3, 1),
    "block": (4, 1, 1),
    "cluster": (2, 1, 1),
    "shmem_size": 64,
    "is_cooperative": True,
    "programmatic_stream_serialization": True,
}


@pytest.mark.parametrize("name", CHANGES)
def test_attributes_can_be_changed(name):
    config = LaunchConfig(grid=1, block=32)
    before = hash(config)
    setattr(config, name, CHANGES[name])
    assert getattr(config, name) == CHANGES[name]
    assert config == LaunchConfig(**{"grid": 1, "block": 32, name: CHANGES[name]})
    assert hash(config) != before


def test_a_rejected_change_leaves_the_configuration_unchanged():
    config = LaunchConfig(grid=1, block=32, cluster=2, shmem_size=8)
    for name, value, error in (
        ("grid", 2, TypeError),
        ("grid", None, TypeError),
        ("grid", (0,), ValueError),
        ("block", [1], TypeError),
        ("cluster", (1 << 31, 1, 1), ValueError),
        ("shmem_size", -1, ValueError),
        ("shmem_size", "8", TypeError),
    ):
        with pytest.raises(error):
            setattr(config, name, value)
        assert config == LaunchConfig(grid=1, block=32, cluster=2, shmem_size=8)
    with pytest.raises(AttributeError):
        config.shared_memory = 8


def test_a_changed_configuration_launches(module, device, stream, upload, host):
    counts = upload(np.zeros(64, "i4"))
    config = LaunchConfig(grid=1, block=32)
    launch(stream, config, module.add_one, counts, 64)
    config.grid = (2, 1, 1)
    launch(stream, config, module.add_one, counts, 64)
    assert host(counts, "i4").tolist() == [2] * 32 + [1] * 32


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"grid": 1}, ValueError, "^block must be given"),
        ({"block": 1}, ValueError, "^grid must be given"),
        ({"grid": 0, "block": 1}, ValueError, "^grid is 0, but each extent must be from 1 to 2147483647"),
        ({"grid": 1, "block": (1, 0)}, ValueError, r"^block is \(1, 0\)"),
        ({"grid": -1, "block": 1}, ValueError, "^grid is -1"),
        ({"grid": 2**31, "block": 1}, ValueError, "^grid is 2147483648"),
        ({"grid": (1, 1, 1, 1), "block": 1}, ValueError, "^grid must have 1 to 3 extents, not 4"),
        ({"grid": (), "block": 1}, ValueError, "^grid must have 1 to 3 extents, not 0"),
        ({"grid": 1.5, "block": 1}, ValueError, "^grid must be an int or a tuple of 1 to 3 ints, not 1.5"),
        ({"grid": 1, "block": "8"}, ValueError, "^block must be an int or a tuple"),
        ({"grid": np.int64(2), "block": np.array([2, 2])}, ValueError, "^block must be an int or a tuple"),
        ({"grid": (1, np.array([2, 2])), "block": 1}, ValueError, "^grid must be an int or a tuple"),
        ({"grid": 2**30, "cluster": 2, "block": 1}, ValueError, "more than 2147483647 blocks along an axis"),
        (
            {"grid": 1, "block": 1, "shmem_size": -1},
            ValueError,
            "^shmem_size must be from 0 to 2147483647 bytes, not -1",
        ),
    ],
)
def test_wrong_values(arguments, error, message):
    with pytest.raises(error, match=message):
        LaunchConfig(**arguments)
