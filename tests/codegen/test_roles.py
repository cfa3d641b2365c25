# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import pytest

from codegen import apis, roles
from codegen.model import Array, Named, Pointer, Primitive, Role

TYPES = """
typedef enum { XY_OK = 0 } xyResult;
typedef struct xyThing_st *xyThing;
typedef enum { XY_A, XY_B } xyKind;
typedef struct { int x; } xyPoint;
typedef void (*xyCallback)(void *data);
"""


def roles_of(read, declaration, exceptions=None):
    """Return {parameter: (role, count)} of the function in a declaration."""
    library = roles.assign(read(f"{TYPES}xyResult {declaration};"), exceptions or {})
    (function,) = library.functions.values()
    return {param.name: (param.role, param.count) for param in function.params}


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("xyUse(xyThing thing, int n, xyKind kind, xyPoint p)", dict.fromkeys(["thing", "n", "kind", "p"], "in")),
        ("xyMake(xyThing *thing)", {"thing": "out"}),
        ("xyNumbers(int *a, float *b, xyKind *c, void **d)", dict.fromkeys("abcd", "out")),
        ("xyOpen(const char *path)", {"path": "in string"}),
        ("xyName(char *name, int len)", {"name": ("out string", "len"), "len": "count"}),
        ("xyNameOf(const char **name)", {"name": "out"}),
        ("xyFill(char *text)", {"text": "out buffer"}),
        ("xyGetPoint(xyPoint *point)", {"point": "out struct"}),
        ("xyMove(xyPoint *point)", {"point": "in struct"}),
        ("xyDraw(const xyPoint *point)", {"point": "in struct"}),
        ("xyDrawAll(const xyPoint *points, size_t numP)", {"points": ("in array", "numP"), "numP": "count"}),
        ("xyEnumerate(xyThing *things, unsigned count)", {"things": ("out array", "count"), "count": "count"}),
        (
            "xyGetAll(xyThing *things, size_t *numThings)",
            {"things": ("out array", "numThings"), "numThings": "inout count"},
        ),
        ("xyRead(void *dstHost, size_t ByteCount)", {"dstHost": ("out buffer", "ByteCount"), "ByteCount": "count"}),
        ("xyWrite(const void *src, size_t size)", {"src": ("in buffer", "size"), "size": "count"}),
        ("xyLoad(const void *image)", {"image": "in buffer"}),
        ("xyFree(void *address)", {"address": "in"}),
        ("xyLater(xyCallback call, void *userData)", {"call": "callback", "userData": "user data"}),
        ("xyLaunch(void **kernelParams, void **extra)", {"kernelParams": "kernel params", "extra": "in"}),
        (
            "xyBatch(int *dsts, int *sizes, size_t count, xyPoint *attrs, size_t numAttrs)",
            {
                "dsts": ("in array", "count"),
                "sizes": ("in array", "count"),
                "count": "count",
                "attrs": ("in array", "numAttrs"),
                "numAttrs": "count",
            },
        ),
        (
            "xyLink(unsigned numOptions, xyKind *options, void **optionValues, xyThing *stateOut)",
            {
                "numOptions": "count",
                "options": ("in array", "numOptions"),
                "optionValues": ("in values", "numOptions"),
                "stateOut": "out",
            },
        ),
        ("xyCompile(int numO, const char *const *options)", {"numO": "count", "options": ("in array", "numO")}),
    ],
)  # fmt: skip
def test_rules(read, declaration, expected):
    pairs = {name: value if isinstance(value, tuple) else (value, "") for name, value in expected.items()}
    found = roles_of(read, declaration.replace("size_t", "unsigned long"))
    assert found == {name: (Role(role), count) for name, (role, count) in pairs.items()}


def test_overrides_replace_roles(read):
    change = {"xyMake.thing": {"role": "in pointer", "reason": "It is read."}}
    assert roles_of(read, "xyMake(xyThing *thing)", change) == {"thing": (Role.IN_POINTER, "")}


def test_overrides_must_change_an_existing_parameter(read):
    changes = {
        "xyMake.thing": {"role": "out", "reason": "As the rules say."},
        "xyMake.other": {"role": "in", "reason": "There is none."},
    }
    with pytest.raises(roles.RoleError, match=r"thing: the rules say the same(.|\n)*xyMake.other: no such parameter"):
        roles_of(read, "xyMake(xyThing *thing)", changes)


def test_overrides_have_reasons(libraries, monkeypatch):
    monkeypatch.setattr(roles, "table", lambda: {"nvrtc": [{"parameters": ["nvrtcVersion.major"], "role": "in"}]})
    with pytest.raises(roles.RoleError, match=r"nvrtcVersion.major.*the reason is missing"):
        roles.overrides_of(libraries["nvrtc"])


def test_counts_and_selectors_name_parameters(libraries, every_symbol):
    for library in (*libraries.values(), every_symbol):
        for function in library.functions.values():
            names = {param.name: 1 for param in function.params}
            calls = {name: lambda *_: 1 for name in library.functions} | {"max": max, "NULL": 0}
            calls |= {name: constant.value for name, constant in library.constants.items()}
            for param in function.params:
                if param.count:
                    eval(param.count, calls, names)  # an unknown name raises
                assert not param.selector or param.selector in names, function.name


def test_the_selected_value_has_a_type_for_every_member(libraries):
    types = roles.value_types()
    ends = ("_MAX", "_NUM_OPTIONS")
    enums = {name: enum for library in libraries.values() for name, enum in library.enums.items()}
    for enum, members in types.items():
        known = {member.name for member in enums[enum].members if not member.name.endswith(ends)}
        assert set(members) == known, enum
    selected = set()
    for function in (function for library in libraries.values() for function in library.functions.values()):
        by_name = {param.name: param.type for param in function.params}
        for param in function.params:
            if param.selector:
                target = by_name[param.selector]
                selected.add((target.to if isinstance(target, Pointer) else target).name)
    assert selected == set(types)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("void *", Pointer(Primitive("void"))),
        ("const char **", Pointer(Pointer(Primitive("char"), const=True))),
        ("unsigned int", Primitive("unsigned int")),
        ("CUcontext", Named("CUcontext")),
        ("char[1024]", Array(Primitive("char"), 1024)),
        ("int[]", Array(Primitive("int"), 0)),
    ],
)
def test_short_spellings_of_types(text, expected):
    assert roles.parse_type(text) == expected


@pytest.mark.parametrize(
    ("module", "name", "expected"),
    [
        ("driver", "len", "length"),
        ("driver", "from", "from_"),
        ("driver", "hStream", "hStream"),
        ("nvjitlink", "inputType", "input_type"),
    ],
)
def test_parameter_names_in_python(module, name, expected):
    assert roles.python_name(apis.APIS[module], name) == expected


@pytest.mark.parametrize(
    ("module", "name", "expected"),
    [
        ("driver", "cuMemAlloc", "cuMemAlloc"),
        ("nvjitlink", "nvJitLinkAddData", "add_data"),
        ("nvjitlink", "nvJitLinkGetLinkedPtxSize", "get_linked_ptx_size"),
        ("nvjitlink", "nvJitLinkGetLinkedLTOIR", "get_linked_ltoir"),
    ],
)
def test_function_names_in_python(module, name, expected):
    assert roles.python_function_name(apis.APIS[module], name) == expected
