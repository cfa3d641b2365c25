# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Classes with virtual functions, class templates, pointers to pointers and to functions, recursion, constant
expressions, pairs of 16-bit floats, and atomic operations in loops."""

from __future__ import annotations

from ci.random_programs.cooperation import Cooperation
from ci.random_programs.expressions import Scope
from ci.random_programs.statements import Node
from ci.random_programs.types import INTEGERS, NUMBERS, THREADS

WRAPPING = ["unsigned", "unsigned long long"]  # types whose arithmetic is defined for all values
# Functions of __half2 and __nv_bfloat162 whose results are exact.
PAIRS = ["__hadd2", "__hsub2", "__hmul2", "__hmax2", "__hmin2"]
PAIR_TYPES = {"__half": ("__half2", "__halves2half2"), "__nv_bfloat16": ("__nv_bfloat162", "__halves2bfloat162")}

# Behind the other helpers, which precede every program.
HELPERS = """template <class T, int N> struct Row {
    T x[N];
    D explicit Row(T first) { for (int i = 0; i < N; i++) x[i] = (T)(first + (T)i); }
    D T &operator[](int i) { return x[i & (N - 1)]; }
    D Row operator+(const Row &other) const { Row sum(*this); for (int i = 0; i < N; i++) sum.x[i] += other.x[i]; return sum; }
    D Row &operator*=(T factor) { for (T &each : x) each *= factor; return *this; }
    D operator T() const { T all = 0; for (T each : x) all += each; return all; }
    static constexpr int size = N;
};
template <class T> struct Row<T, 1> { T x; D explicit Row(T first) : x(first) {} D operator T() const { return x ^ (T)5; } };
template <class T> D T joined() { return (T)17; }
template <class T, class First, class... Rest> D T joined(First first, Rest... rest) {
    return (T)((T)first * (T)31 + joined<T>(rest...) + (T)sizeof...(rest));
}
template <class T> D unsigned kind_of(T x) {
    if constexpr (sizeof(T) < 4) return 1u + (unsigned)sizeof x;
    else if constexpr ((T)-1 < (T)0) return 100u + (unsigned)sizeof x;
    else return 200u + (unsigned)sizeof x;
}
D constexpr unsigned steps(unsigned n) { unsigned count = 0; while (n > 1) { n = n % 2 ? 3 * n + 1 : n / 2; count++; } return count; }
template <class T> __device__ __noinline__ T nested(T x, int depth) {
    return depth <= 0 ? x : depth & 1 ? (T)(nested<T>((T)(x * (T)3), depth - 1) + (T)depth) : nested<T>((T)(x ^ (T)9), depth - 2);
}
"""  # noqa: E501


class Classes(Cooperation):
    """Writes what programs declare beside structures and functions, and statements that use it."""

    hierarchies: list[tuple[str, str]]

    def hierarchy(self, scope: Scope) -> list[Node]:
        """Return a base class and two derived classes, one of the other, whose function is virtual."""
        if not hasattr(self, "hierarchies"):
            self.hierarchies = []
        base, type_ = self.name("Base"), self.random.choice(NUMBERS)
        self.hierarchies.append((base, type_))
        parts = []
        for name, parent in ((base, ""), (f"{base}Left", base), (f"{base}Right", f"{base}Left")):
            inner = Scope()
            inner.functions = list(scope.functions)
            inner.variables = [("own", type_), ("x", type_)]
            value = self.value(type_, inner)
            if parent and self.random.random() < 0.5:
                inner.variables.append((f"{parent}::apply(x)", type_))
                value = self.value(type_, inner)
            own = "" if parent else f"{type_} own; "
            maker = f"{parent}(value)" if parent else "own(value)"
            fields = [Node(f"{own}D explicit {name}({type_} value) : {maker} {{}}"),
                      Node(f"__device__ {'' if parent else 'virtual '}{type_} apply({type_} x) const"
                           f"{' override' if parent else ''} {{ return {value}; }}")]  # fmt: skip
            parts.append(Node(f"struct {name}{f' : {parent}' if parent else ''}", fields, "};"))
        return parts

    def advanced(self, scope: Scope) -> Node:
        """Return a statement that all threads execute."""
        kinds = [self.virtual, self.row, self.variadic, self.constant, self.indirect, self.function_pointer,
                 self.recursion, self.pair, self.matrix, self.swapped, self.unpacked]  # fmt: skip
        return self.random.choice(kinds)(scope)

    def virtual(self, scope: Scope) -> Node:
        if not getattr(self, "hierarchies", None):
            return self.row(scope)
        base, type_ = self.random.choice(self.hierarchies)
        left, right, pointer = self.name("o"), self.name("o"), self.name("q")
        text = f"{base}Left {left}({self.value(type_, scope)}); {base}Right {right}({self.value(type_, scope)}); "
        text += f"const {base} *{pointer} = {self.condition(scope, 1)} ? (const {base} *)&{left} : &{right}; "
        node = self.new(scope, type_, f"{pointer}->apply({self.value(type_, scope)})")
        return Node(text + node.text)

    def row(self, scope: Scope) -> Node:
        type_, size = self.random.choice(WRAPPING), self.random.choice([1, 2, 4, 8])
        name = self.name("row")
        text = f"Row<{type_}, {size}> {name}({self.value(type_, scope)}); "
        if size > 1:
            text += f"{name}[{self.leaf('int', scope)}] = {self.value(type_, scope)}; "
            text += f"{name} *= {self.value(type_, scope)}; "
            text += f"{name} = {name} + Row<{type_}, decltype({name})::size>({self.value(type_, scope)}); "
        return Node(text + self.new(scope, type_, f"({type_}){name}").text)

    def variadic(self, scope: Scope) -> Node:
        type_ = self.random.choice(WRAPPING)
        values = [self.value(self.random.choice(list(INTEGERS)), scope) for _ in range(self.random.randrange(5))]
        return self.new(scope, type_, f"joined<{type_}>({', '.join(values)})")

    def constant(self, scope: Scope) -> Node:
        start, type_ = self.random.randrange(1, 40), self.random.choice(list(INTEGERS))
        text = f'constexpr unsigned {self.name("c")} = steps({start}); static_assert(steps(27) == 111, ""); '
        name = text.split()[2]
        value = f"{name} * 1000u + kind_of<{type_}>({self.value(type_, scope)})"
        return Node(text + self.new(scope, "unsigned", value).text)

    def indirect(self, scope: Scope) -> Node:
        names = [variable for variable in scope.assignable() if variable[1] in NUMBERS and variable[0].isidentifier()]
        if len(names) < 2:
            return self.row(scope)
        first, type_ = self.random.choice(names)
        second = self.random.choice([name for name, kind in names if kind == type_])
        p, q, pp = self.name("p"), self.name("p"), self.name("pp")
        text = f"{type_} *{p} = &{first}, *{q} = &{second}, **{pp} = {self.condition(scope, 1)} ? &{p} : &{q}; "
        return Node(f"{text}**{pp} = {self.value(type_, scope)};")

    def function_pointer(self, scope: Scope) -> Node:
        if not scope.functions:
            return self.recursion(scope)
        name, result, arguments = self.random.choice(scope.functions)
        alike = [each for each, *kind in scope.functions if kind == [result, arguments]]
        pointer = self.name("call")
        text = f"{result} (*{pointer})({', '.join(arguments)}) = {self.condition(scope, 1)} ? {name} : "
        text += f"{self.random.choice(alike)}; "
        values = ", ".join(self.value(each, scope) for each in arguments)
        return Node(text + self.new(scope, result, f"{pointer}({values})").text)

    def recursion(self, scope: Scope) -> Node:
        type_ = self.random.choice(WRAPPING)
        depth = f"(int)({self.leaf('unsigned', scope)} & 7u)"
        return self.new(scope, type_, f"nested<{type_}>({self.value(type_, scope)}, {depth})")

    def pair(self, scope: Scope) -> Node:
        type_ = self.random.choice(["__half"] if self.arch < 80 else list(PAIR_TYPES))
        (pair, make), name = PAIR_TYPES[type_], self.name("h")
        both = [f"{make}({self.value(type_, scope)}, {self.value(type_, scope)})" for _ in range(2)]
        text = f"{pair} {name} = {self.random.choice(PAIRS)}({both[0]}, {both[1]}); "
        part = self.random.choice(["__low2", "__high2"]) + ("half" if type_ == "__half" else "bfloat16")
        return Node(text + self.new(scope, type_, f"{part}({name})").text)

    def matrix(self, scope: Scope) -> Node:
        """Threads write a matrix in shared memory, and read it transposed."""
        type_, name, width = self.random.choice(NUMBERS), self.name("s"), self.random.choice([4, 8, 16])
        height = THREADS // width
        text = f"__shared__ {type_} {name}[{height}][{width} + 1]; "
        text += f"{name}[t / {width}][t % {width}] = {self.value(type_, scope)}; __syncthreads(); "
        return Node(text + self.new(scope, type_, f"{name}[t % {height}][t / {height}]").text)

    def swapped(self, scope: Scope) -> Node:
        """Sum by compare-and-swap: the order does not matter."""
        type_, name, seen = self.random.choice([*WRAPPING, "int"]), self.name("s"), self.name("v")
        wide_ = "unsigned" if type_ == "int" else type_
        text = f"__shared__ {type_} {name}[4]; if (t < 4) {name}[t] = ({type_})t; __syncthreads(); "
        text += f"{{ {type_} add = {self.value(type_, scope)}, old = {name}[t & 3], last; do {{ last = old; "
        text += f"old = atomicCAS(&{name}[t & 3], last, ({type_})(({wide_})last + ({wide_})add)); "
        text += "} while (old != last); } "
        scope.variables.append((seen, type_))
        return Node(f"{text}__syncthreads(); {type_} {seen} = {name}[t & 3];")

    def unpacked(self, scope: Scope) -> Node:
        """Structured bindings, of a copy and of references."""
        first, second = self.random.choice(NUMBERS), self.random.choice(NUMBERS)
        pair, a, b = self.name("pair"), self.name("b"), self.name("b")
        values = f"{self.value(first, scope)}, {self.value(second, scope)}"
        text = f"struct {{ {first} one; {second} two; }} {pair} = {{{values}}}; "
        text += f"auto {self.random.choice(['', '&'])}[{a}, {b}] = {pair}; {b} = {self.value(second, scope)}; "
        # Lambdas do not capture the names themselves.
        copies = [self.new(scope, type_, name).text for type_, name in ((first, a), (second, f"{pair}.two"))]
        return Node(text + " ".join(copies))
