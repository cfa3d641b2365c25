# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Headers written by the tests, and the model that the generator reads from them."""

import pytest

from codegen import apis, headers
from codegen.model import (
    Array,
    Constant,
    Enum,
    Enumerator,
    Field,
    FunctionType,
    Named,
    Param,
    Pointer,
    Primitive,
    Struct,
    Typedef,
)

INT, UNSIGNED, CHAR, VOID = Primitive("int"), Primitive("unsigned int"), Primitive("char"), Primitive("void")
RESULT = "typedef enum { XY_OK = 0, XY_BAD = 7 } xyResult;\n"


def fields(struct):
    return [(field.name, field.offset, field.size) for field in struct.fields]


def test_struct_with_unions_arrays_and_padding(read):
    library = read("""
        typedef struct xyBox_st {
            char tag;
            double sides[3];
            union { int whole; float part; };
            union { short low; struct { char a, b; } pair; } named;
        } xyBox;
    """)
    box = library.structs["xyBox_st"]
    assert (box.size, box.align, box.union) == (40, 8, False)
    assert fields(box) == [("tag", 0, 1), ("sides", 8, 24), (None, 32, 4), ("named", 36, 2)]
    assert box.fields[1].type == Array(Primitive("double"), 3)
    assert library.typedefs["xyBox"] == Typedef("xyBox", Named("xyBox_st"), "xy.h")
    # Unnamed records are numbered by kind, inner ones first, and stand before what uses them.
    assert [field.type for field in box.fields[2:]] == [Named("anon_union0"), Named("anon_union1")]
    assert list(library.structs) == ["anon_union0", "anon_struct0", "anon_union1", "xyBox_st"]
    assert library.structs["anon_union0"].union
    assert fields(library.structs["anon_union1"]) == [("low", 0, 2), ("pair", 0, 2)]


def test_bit_fields(read):
    flags = read("typedef struct { unsigned a : 3; unsigned b : 30; unsigned long long c : 33; } xyFlags;")
    assert flags.structs["xyFlags"].fields == (
        Field("a", UNSIGNED, 0, 4, 0, 3),
        Field("b", UNSIGNED, 4, 4, 0, 30),
        Field("c", Primitive("unsigned long long"), 8, 8, 0, 33),
    )


def test_struct_that_points_to_itself(read):
    library = read("struct xyNode { struct xyNode *next; const struct xyNode *const *others; };")
    node = library.structs["xyNode"]
    assert [field.type for field in node.fields] == [
        Pointer(Named("xyNode")),
        Pointer(Pointer(Named("xyNode"), const=True), const=True),
    ]


def test_handle_is_a_typedef_of_a_pointer_to_an_opaque_struct(read):
    library = read("typedef struct xyThing_st *xyThing;")
    assert library.typedefs["xyThing"].type == Pointer(Named("xyThing_st"))
    assert library.structs["xyThing_st"] == Struct("xyThing_st", (), 0, 0, False, "xy.h")


def test_enum_takes_its_typedefs_name_and_keeps_aliases(read):
    library = read("""
        typedef enum xyKind_enum { XY_A = 1, XY_B = XY_A, XY_C = -2, XY_D = 1 << 4 } xyKind;
        typedef xyKind xyOtherKind;
        enum xyTagged { XY_E };
        enum { XY_F = 0xffffffffu };
        struct xyHolder { enum xyInner { XY_G = 3 } inner; };
    """)
    members = (Enumerator("XY_A", 1), Enumerator("XY_B", 1), Enumerator("XY_C", -2), Enumerator("XY_D", 16))
    assert library.enums["xyKind"] == Enum("xyKind", members, signed=True, header="xy.h")
    assert library.typedefs["xyOtherKind"].type == Named("xyKind")
    assert library.enums["xyTagged"].members == (Enumerator("XY_E", 0),)
    assert library.enums["xyInner"].members == (Enumerator("XY_G", 3),)
    assert library.structs["xyHolder"].fields[0].type == Named("xyInner")
    assert library.enums["anon_enum0"] == Enum("anon_enum0", (Enumerator("XY_F", 2**32 - 1),), False, "xy.h")


def test_function_with_callbacks_double_pointers_and_structs_by_value(read):
    library = read(
        RESULT
        + """
        typedef struct { int x, y; } xyPoint;
        typedef void (*xyCallback)(xyResult status, void *data);
        xyResult xyCall(xyPoint at, xyCallback call, int (*inline_call)(const char *), char **names, const int list[]);
        """
    )
    assert library.typedefs["xyCallback"].type == Pointer(
        FunctionType(VOID, (("", Named("xyResult")), ("", Pointer(VOID))))
    )
    call = library.functions["xyCall"]
    assert call.result == Named("xyResult")
    assert call.params == (
        Param("at", Named("xyPoint")),
        Param("call", Named("xyCallback")),
        Param("inline_call", Pointer(FunctionType(INT, (("", Pointer(CHAR, const=True)),)))),
        Param("names", Pointer(Pointer(CHAR))),
        Param("list", Pointer(INT, const=True)),
    )


def test_versioned_macro_gives_name_symbol_and_version(read):
    library = read(
        RESULT
        + """
        #define xyAlloc xyAlloc_v2
        xyResult xyAlloc(unsigned long size);
        xyResult xyFree(void);
        #ifdef XY_EVERY
        #undef xyAlloc
        xyResult xyAlloc(unsigned int size);
        #endif
        """,
        """
        typedef xyResult (*PFN_xyAlloc_v3020)(unsigned long size);
        typedef xyResult (*PFN_xyFree_v2000)(void);
        typedef xyResult (*PFN_xyAlloc_v2000)(unsigned int size);
        """,
        versions=("xyTypedefs.h",),
        every_version_define="XY_EVERY",
    )
    alloc = library.functions["xyAlloc"]
    assert (alloc.name, alloc.symbol, alloc.version) == ("xyAlloc", "xyAlloc_v2", 3020)
    assert (library.functions["xyFree"].symbol, library.functions["xyFree"].version) == ("xyFree", 2000)


def test_per_thread_variant(read):
    library = read(
        RESULT
        + """
        #ifdef XY_PER_THREAD
        #define xySync xySync_ptsz
        #endif
        xyResult xySync(void);
        xyResult xyOther(void);
        """,
        per_thread_define="XY_PER_THREAD",
    )
    assert library.functions["xySync"].per_thread == "xySync_ptsz"
    assert library.functions["xyOther"].per_thread is None


def test_attributes_of_functions(read):
    library = read(
        RESULT
        + r"""
        /** \defgroup XY_GROUP Things
         * @{ */
        /** Does things.
         * \return ::CUDA_SUCCESS, ::CUDA_ERROR_INVALID_VALUE,
         * ::CUDA_ERROR_NOT_FOUND
         * \sa ::CUDA_ERROR_UNKNOWN */
        __attribute__((deprecated)) xyResult xyOld(void);
        static inline xyResult xyInline(void) { return XY_OK; }
        xyResult otherFunction(void);
        """
    )
    old = library.functions["xyOld"]
    assert old.deprecated
    assert old.group == "XY_GROUP"
    assert old.errors == ("CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_NOT_FOUND")
    assert list(library.functions) == ["xyOld"]


def test_groups_of_the_reference_are_nested(read):
    library = read(
        RESULT
        + r"""
        xyResult xyBefore(void);
        /** @defgroup outer Outer
         * @{ */
        xyResult xyFirst(void);
        /** @defgroup inner Inner
         * @{ */
        xyResult xyInner(void);
        /** @} */ // @defgroup inner
        xyResult xySecond(void);
        /** @addtogroup inner
         * @{ */
        xyResult xyLater(void);
        /** @} @} */
        xyResult xyAfter(void);
        """
    )
    groups = {name: function.group for name, function in library.functions.items()}
    assert groups == {
        "xyBefore": "",
        "xyFirst": "outer",
        "xyInner": "inner",
        "xySecond": "outer",
        "xyLater": "inner",
        "xyAfter": "",
    }


def test_constants(read):
    library = read("""
        #define XY_GUARD
        #define XY_CALL __attribute__((unused))
        #define XY_FUNCTION_LIKE(x) (x)
        #define XY_INT 0x10
        #define XY_NEGATIVE -1
        #define XY_UNSIGNED (~0u)
        #define XY_BIG 0xffffffffffffffffull
        #define XY_FLOAT 1.5f
        #define XY_STRING "text"
        #define XY_HANDLE ((void *)0x2)
        #define XY_SUM (XY_INT + sizeof(int))
        #define XY_UNKNOWN undeclared_name
        #define XY_GONE 1
        #undef XY_GONE
    """)
    values = {
        "XY_INT": 16,
        "XY_NEGATIVE": -1,
        "XY_UNSIGNED": 2**32 - 1,
        "XY_BIG": 2**64 - 1,
        "XY_FLOAT": 1.5,
        "XY_STRING": "text",
        "XY_HANDLE": 2,
        "XY_SUM": 20,
    }
    assert library.constants == {name: Constant(name, value, "xy.h") for name, value in values.items()}
    assert set(library.skipped) == {"XY_GUARD", "XY_CALL", "XY_FUNCTION_LIKE", "XY_UNKNOWN", "XY_GONE"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("int xyBroken(", "expected"),
        ("#include <absent.h>", "absent.h"),
        ("#warning old header", "old header"),  # a warning is as bad as an error
    ],
)
def test_any_diagnostic_is_fatal(read, text, complaint):
    with pytest.raises(headers.HeaderError, match=complaint):
        read(text)


def test_unsupported_types_are_refused(read):
    with pytest.raises(headers.HeaderError, match="COMPLEX"):
        read("typedef _Complex float xyComplex;")


def test_system_headers_are_not_used(read):
    with pytest.raises(headers.HeaderError, match=r"stdio\.h"):
        read("#include <stdio.h>")


def test_headers_come_from_cuda_home_only_if_it_is_set(monkeypatch, tmp_path):
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    assert apis.include_path() == [tmp_path / "include"]
    monkeypatch.delenv("CUDA_HOME")
    assert apis.include_path()
    assert all(folder.parts[-3:] == ("nvidia", "cu13", "include") for folder in apis.include_path())
