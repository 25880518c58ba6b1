"""The form of a program: the same for programs that differ in names, numbers and lengths alone."""

from __future__ import annotations

from conformance.specification.programs.language import (
    Assigned,
    Called,
    CalledInPlace,
    Expression,
    Name,
    Number,
    Program,
    Shape,
    Statement,
    UnderTest,
    replaced,
    with_values,
)


def one_like_others(program: Program, *, is_changing: bool) -> Program:
    """The program in which the call under test is one like others; is_changing: whether it changes its first argument."""
    stands_for: dict[str, Expression] = {}

    def substituted(part: Expression) -> Expression:
        return stands_for.get(part.name, part) if isinstance(part, Name) else part

    statements: list[Statement] = []
    for statement in program.statements:
        line = with_values(statement, substituted)
        match line:
            case Assigned(name, UnderTest(operation, named)):
                arguments = tuple(value for _, value in named)
                if is_changing:
                    stands_for[name] = arguments[0]
                    line = CalledInPlace(operation, arguments)
                else:
                    line = Assigned(name, Called(operation, arguments))
            case _:
                pass
        statements.append(line)
    results = dict.fromkeys(replaced(each, substituted) for each in program.results)
    return Program(program.parameters, tuple(statements), tuple(results))


def form_of(program: Program, *, is_changing: bool) -> str:
    """The form of a program as text."""
    names: dict[str, str] = {}

    def neutral(part: Expression) -> Expression:
        match part:
            case Name(name):
                return Name(names.setdefault(name, f"v{len(names) + 1}"))
            case Number() | Shape():
                return Name("n")
            case _:
                return part

    lines = []
    whole = one_like_others(program, is_changing=is_changing)
    for statement in whole.statements:
        line = with_values(statement, neutral)
        if isinstance(line, Assigned):
            line = Assigned(names.setdefault(line.name, f"v{len(names) + 1}"), line.value)
        lines.append(str(line))
    results = sorted(str(replaced(each, neutral)) for each in whole.results)
    return "; ".join([*lines, f"return {', '.join(results)}"])
