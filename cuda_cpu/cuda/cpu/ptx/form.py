# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Form: the row of the instruction table that an instruction matches, and the values of its modifiers."""

from __future__ import annotations

from collections.abc import Mapping

from cuda.cpu.ptx.row import Row


class Form:
    """An instruction's row, and the values of its modifiers as attributes.

    Attributes have the names in the syntax of the rows: a str for a value of a list (None where absent), a bool for a
    literal word. Instructions with the same opcode, modifiers and kinds of operands share a form.
    """

    # Values that are always present in the forms of some opcodes
    abtype: str
    alayout: str
    atype: str
    blayout: str
    btype: str
    clamp: str
    cmp: str
    component: str
    ctype: str
    dir: str
    dtype: str
    evict2: str
    geometry: str
    kind: str
    level: str
    mode: str
    num: str
    op: str
    query: str
    rnd: str
    shape: str
    space: str
    type: str
    vec: str
    # Values that may be left out
    bitop: str | None
    boolop: str | None
    cop: str | None
    cta_group: str | None
    dim: str | None
    dst: str | None
    evict1: str | None
    field: str | None
    hint: str | None
    irnd: str | None
    layout: str | None
    load_mode: str | None
    op_restrict: str | None
    part: str | None
    prefetch: str | None
    primary: str | None
    redop: str | None
    scale: str | None
    scale_vec: str | None
    scope: str | None
    secondary: str | None
    sem: str | None
    source: str | None
    sparse: str | None
    src: str | None
    stcop: str | None
    stype: str | None
    sync_restrict: str | None
    # Words
    L1: bool
    L2: bool
    NaN: bool
    abs: bool
    acc_f16: bool
    acc_f32: bool
    add: bool
    aligned: bool
    approx: bool
    arrive: bool
    arrive_drop: bool
    async_generic: bool
    b: bool
    b1024: bool
    b32: bool
    block_scale: bool
    bulk: bool
    bulk_group: bool
    cc: bool
    cluster: bool
    commit_group: bool
    complete_tx: bool
    cp: bool
    cp_fenceproxy: bool
    cp_mask: bool
    cta: bool
    cvt: bool
    d: bool
    expect_tx: bool
    fence: bool
    fractional: bool
    ftz: bool
    full: bool
    idx: bool
    ignore_oob: bool
    init: bool
    inval: bool
    is_canceled: bool
    ld_reduce: bool
    load: bool
    mask: bool
    mbarrier: bool
    mbarrier_complete_tx_bytes: bool
    mma: bool
    mma_async: bool
    mmio: bool
    multicast_cluster: bool
    multicast_cluster_all: bool
    nc: bool
    noftz: bool
    noinc: bool
    oob: bool
    pack: bool
    parity: bool
    pending_count: bool
    po: bool
    popc: bool
    pred: bool
    proxy: bool
    query_cancel: bool
    range: bool
    read: bool
    red: bool
    reduce: bool
    relu: bool
    replace: bool
    rn: bool
    rna: bool
    rs: bool
    sat: bool
    satfinite: bool
    scaled_n2_ue8m0: bool
    shared_cta: bool
    shiftamt: bool
    st: bool
    store: bool
    sync: bool
    tensor: bool
    tensormap: bool
    tensormap_generic: bool
    test_wait: bool
    tile: bool
    to: bool
    trans: bool
    try_cancel: bool
    try_wait: bool
    uni: bool
    v4: bool
    wait_all: bool
    wait_group: bool
    warp: bool
    weak: bool
    xorsign: bool

    def __init__(self, row: Row, modifiers: tuple[str, ...], values: Mapping[str, str | bool]) -> None:
        self.row = row
        self.opcode = row.opcode
        self.family = row.family
        self.modifiers = modifiers
        self.__dict__.update(values)

    def has(self, words: str) -> bool:
        """Return whether words, joined by dots, are all among the modifiers."""
        return not words or set(words.split(".")).issubset(self.modifiers)

    def __str__(self) -> str:
        return ".".join((self.opcode, *self.modifiers))

    def __repr__(self) -> str:
        return f"<Form {self}>"


KEYWORDS = {"async": "bool", "global": "bool"}  # keywords of Python: accessible by getattr only
for _name, _annotation in (Form.__annotations__ | KEYWORDS).items():
    setattr(Form, _name, False if _annotation == "bool" else None)
