"""Patterns in coroutines that g++ 12 compiles wrongly, without a warning: temporaries of an expression that holds
co_await are destroyed twice or too early when they are aggregates, initializer lists, lambdas with captures, or come
out of a conditional operator. The way out is always a named local:

    auto request = request_of{a, b};
    co_await send(std::move(request));

Default arguments and aggregates initialised with parentheses look like anything else and are not found; the flow tests
under AddressSanitizer find those that are executed.
"""
import re
import sys

import repository

BRACES = "braces in an expression with co_await: make a named local of it first"
CONDITIONAL = "?: in an expression with co_await: use if"
CAPTURE = "a lambda that captures by value in an expression with co_await: give it a name first"
RETURN = "co_return with braces: name the type and use parentheses"

TOKEN = re.compile(r'''
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n\\]|\\.)*)
  | (?P<raw>(?:u8|[uUL])?R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)")
  | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"|(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
  | (?P<number>\.?\d(?:[\w.]|'(?=\w)|(?<=[eEpP])[+-])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign>::|->|&&|\|\||[-+*/%^&|<>=!]=|\+\+|--|\.\.\.|.)''', re.VERBOSE | re.DOTALL | re.MULTILINE)


class token:
    def __init__(self, text, line):
        self.text, self.line = text, line
        self.inside = None  # what stands between a bracket and its partner


def parse(text):
    """The text as a tree of tokens: an opening bracket holds what is inside it."""
    top, stack, line = [], [], 1
    level = top
    for match in TOKEN.finditer(text):
        if match.lastgroup != "skip":
            sign = match[0] if match["sign"] or match["word"] else "0"
            if sign in (")", "]", "}"):
                level = stack.pop() if stack else top
            else:
                level.append(token(sign, line))
                if sign in ("(", "[", "{"):
                    stack.append(level)
                    level[-1].inside = level = []
        line += match[0].count("\n")
    return top


def is_word(item):
    return item.text[0].isalpha() or item.text[0] == "_"


VALUE_FOLLOWS = {"return", "co_return", "co_await", "co_yield", "case", "else", "do"}


def opens_lambda(items, at):
    """True when the [ at this place introduces a lambda: not a subscript, an attribute or a structured binding."""
    item = items[at]
    if item.text != "[" or at + 1 >= len(items):
        return False
    if item.inside and item.inside[0].text == "[":
        return False
    if at > 0:
        before = items[at - 1]
        if before.text in ("(", "[", "]", ")") or (is_word(before) and before.text not in VALUE_FOLLOWS):
            return False
    return items[at + 1].text in ("(", "{", "<", "mutable", "noexcept", "->")


def captures_by_value(introducer):
    part, parts = [], []
    for item in introducer.inside:
        if item.text == ",":
            parts.append(part)
            part = []
        else:
            part.append(item)
    parts.append(part)
    return any(part and part[0].text not in ("&", "this") for part in parts)


class checker:
    def __init__(self):
        self.findings = []

    def complain(self, line, why):
        if (line, why) not in self.findings:
            self.findings.append((line, why))

    def facts(self, items, found):
        """Collects what matters of one expression; the bodies of its lambdas are statements of their own."""
        in_lambda = False
        for at, item in enumerate(items):
            if opens_lambda(items, at):
                in_lambda = True
                if captures_by_value(item):
                    found["capture"] = item.line
                # Initialisers of captures belong to the expression.
                self.facts(item.inside, found)
            elif item.text == "{" and in_lambda:
                in_lambda = False
                self.block(item.inside)
            elif item.text == "{":
                found.setdefault("braces", item.line)
                self.facts(item.inside, found)
                if at > 0 and items[at - 1].text == "co_return":
                    found["return"] = item.line
            elif item.inside is not None:
                self.facts(item.inside, found)
            elif item.text == "?":
                found.setdefault("conditional", item.line)
            elif item.text == "co_await":
                found.setdefault("await", item.line)

    def expression(self, items):
        found = {}
        self.facts(items, found)
        if "return" in found:
            self.complain(found["return"], RETURN)
        if "await" in found:
            for fact, why in (("braces", BRACES), ("conditional", CONDITIONAL), ("capture", CAPTURE)):
                if fact in found and not (fact == "braces" and "return" in found):
                    self.complain(found[fact], why)

    def header(self, items):
        """What stands in the parentheses of if, for, while, switch: up to three expressions."""
        part = []
        for item in items:
            if item.text == ";":
                self.expression(part)
                part = []
            else:
                part.append(item)
        self.expression(part)

    def block(self, items):
        """A list of statements, declarations and blocks."""
        statement = []
        in_lambda = False
        for at, item in enumerate(items):
            if opens_lambda(items, at) and not (statement and statement[-1].text in ("&", "&&", "auto") and
                                                any(word.text == "auto" for word in statement)):
                in_lambda = True
            if item.text == ";":
                self.expression(statement)
                statement = []
            elif item.text == "(" and statement and statement[0].text in ("if", "for", "while", "switch", "catch") and \
                    all(word.text in ("if", "constexpr", "for", "while", "switch", "catch") for word in statement):
                self.header(item.inside)
                statement = []
            elif item.text in ("else", "do", "try") and not statement:
                pass
            elif item.text == ":" and statement and (statement[0].text in ("case", "default") or
                                                     (len(statement) == 1 and is_word(statement[0]))):
                statement = []
            elif item.text == "{" and not in_lambda and self.is_block(statement):
                # What stands before it is the head of a function, a class or a namespace.
                self.block(item.inside)
                statement = []
            else:
                if item.text == "{":
                    in_lambda = False
                statement.append(item)
        self.expression(statement)

    @staticmethod
    def is_block(before):
        """Whether a brace after these tokens opens a block (else it is an initialiser)."""
        if not before:
            return True
        texts = [item.text for item in before]
        if texts[-1] in ("(", "{", "noexcept", "const", "override", "final", "&", "&&"):
            return True
        if "=" in texts or {"return", "co_return", "co_await"} & set(texts):
            return False
        if {"namespace", "struct", "class", "union", "enum", "extern"} & set(texts):
            return True
        # A function with a trailing return type.
        return "->" in texts and "(" in texts[:texts.index("->")]


def check(text):
    judge = checker()
    judge.block(parse(text))
    return sorted(judge.findings)


GOOD = [
    "co_await f(std::move(local));",
    "auto [failure, count] = co_await socket.async_read_some(buffer, as_result);",
    "auto& [a, b] = x; co_await f(a);",
    "if (co_await x()) { y = {1, 2}; }",
    "if (auto r = co_await x(); !r) { co_return r.error(); } else { z = a ? b : c; }",
    "while (co_await more()) { if (a) continue; }",
    "for (int i = 0; i < co_await n(); ++i) { v.push_back({i}); }",
    "for (auto& item : co_await list()) { item = {}; }",
    "switch (co_await x()) { case a::b: { co_await y(); break; } case c ? 1 : 2: break; default: f({1}); }",
    "do { co_await x(); } while (a ? b : c);",
    "try { co_await x(); } catch (const e& failure) { log({1}); }",
    "s = a ? b : c; co_await f(s);",
    "agg x{1, 2}; co_await f(x);",
    "co_await f([&] { return a ? b : c; });",
    "co_await f([this](int x) { return g({x}); });",
    "co_await f([]() -> awaitable<void> { agg a{1}; co_await g(a); });",
    "co_await f([&x, &y]() mutable { return x; });",
    "co_spawn(executor, [t = std::move(t)]() -> awaitable<void> { co_await t->run(); }, detached);",
    "auto run = [state](int a) -> awaitable<std::pair<int, int>> { co_await f(); co_return std::pair<int, int>(a, 1); };",
    "awaitable<void> a::b(int x) { co_await f(); }\nint c() { return d ? e{1} : e{2}; }",
    "struct a { awaitable<int> f() const { co_return 1; } int x{3}; };",
    "namespace a::b { namespace { awaitable<int> f() noexcept { co_return 1; } } }",
    "class a : public b { public: a() : x_{1}, y_(2) { z = {3}; } awaitable<int> f(); };",
    "auto f(int x) -> awaitable<int> { int y{2}; co_return co_await g(y); }",
    "co_return a ? b : c;",
    "co_return;",
    'co_await f("{", R"x(a ? {b} : c)x", \'{\', 1\'000);  // { ?',
    "/* co_await f({1}); */ f({1});",
    "#define X co_await f({1}) \\\n    ? 1 : 2\nint y{2};",
    "x[i] = co_await f(v[0], a[b[1]]);",
    "[[nodiscard]] awaitable<int> f() { co_return co_await g(); }",
    "co_await (f() || timer.async_wait(use_awaitable));",
    "template <class T> requires ok<T> awaitable<T> f(T x) { co_return co_await g<T>(x); }",
    "if constexpr (a) co_await b(); else co_await c();",
    "retry: co_await f();",
]
BAD = [
    ("co_await f(agg{a, b});", BRACES),
    ("co_await f({a, b});", BRACES),
    ("co_await f({});", BRACES),
    ("auto x = g({.a = co_await f()});", BRACES),
    ("agg a{co_await f(), 1};", BRACES),
    ("std::string v[2] = {co_await f(), s};", BRACES),
    ("if (co_await f({1})) { }", BRACES),
    ("if (auto r = co_await f(agg{1}); r) return;", BRACES),
    ("while (true) co_await f(std::vector<int>{1});", BRACES),
    ("for (auto& x : co_await f({1})) g();", BRACES),
    ("auto f() -> awaitable<int> { co_await g({1}); }", BRACES),
    ("auto run = [x]() -> awaitable<void> { co_await f({1}); };", BRACES),
    ("co_await f([] { return 1; }, {2});", BRACES),
    ("x = a ? co_await f() : y;", CONDITIONAL),
    ("co_return a ? co_await f() : y;", CONDITIONAL),
    ("co_await f(a ? b : c);", CONDITIONAL),
    ("struct s { awaitable<int> f() { co_await f(a ? b : c); } };", CONDITIONAL),
    ("switch (x) { case 1: co_await f(a ? b : c); }", CONDITIONAL),
    ("co_await f([t] { return t; });", CAPTURE),
    ("co_await f([=] { return t; });", CAPTURE),
    ("co_await f([&a, t = g()]() -> awaitable<void> { co_return; });", CAPTURE),
    ("co_await [c]() -> awaitable<void> { co_return; }();", CAPTURE),
    ("co_return {1, 2};", RETURN),
    ("if (x) co_return {};", RETURN),
    ("awaitable<r> f(int x) noexcept { co_return {co_await g(), 1}; }", RETURN),
]


def self_test():
    failures = [f"wrongly rejected: {text}: {check(text)}" for text in GOOD if check(text)]
    failures += [f"wrongly accepted: {text}: {check(text)}" for text, why in BAD if [w for _, w in check(text)] != [why]]
    if check("a();\n\n/* \n */ co_await f(\n  x, {1});") != [(5, BRACES)]:
        failures.append("the line of a finding is wrong")
    repository.finish(failures, len(GOOD) + len(BAD))


if "--self-test" in sys.argv:
    self_test()
files = repository.sources("src", "tests")
repository.finish([f"{file}:{line}: {why}" for file in files for line, why in check(repository.read(file))], len(files))
