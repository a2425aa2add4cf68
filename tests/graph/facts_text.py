"""Facts of a file as lines of text, so that a test can hold all of them against what is expected."""

from __future__ import annotations

from remora.core.code import Binding, Definition, FileFacts, Import, Reference


def shown(facts: FileFacts) -> list[str]:
    """Return one line for each fact: the file's own, definitions, imports, references, bindings."""
    outline, uses = facts.outline, facts.uses
    own = {"package": outline.package, "doc": outline.doc, "exports": " ".join(outline.exports)}
    return [
        *(f"{name} {text!r}" for name, text in own.items() if text),
        *map(_definition, outline.definitions),
        *map(_import, outline.imports),
        *map(_reference, uses.references),
        *map(_binding, uses.bindings),
    ]


def _definition(row: Definition) -> str:
    """`kind qualname first:own:last `signature` 'doc' -> returns < bases`; the qualname ends in the name."""
    plain = f"{row.parent}.{row.name}" if row.parent else row.name
    assert row.qualname.partition("#")[0] == plain.partition("#")[0]
    line = f"{row.kind} {row.qualname} {row.start_line}:{row.line}:{row.end_line} `{row.signature}`"
    line += f" {row.doc!r}" if row.doc else ""
    line += f" -> {row.returns}" if row.returns else ""
    return line + (f" < {', '.join(row.bases)}" if row.bases else "")


def _import(row: Import) -> str:
    names = ", ".join(name if name == local else f"{name} as {local}" for name, local in row.names)
    line = f"{row.line} {row.kind} {'.' * row.level}{row.module}"
    line += f" as {row.alias}" if row.alias else ""
    line += f" ({names})" if names else ""
    return line + (f" in {row.scope}" if row.scope else "")


def _reference(row: Reference) -> str:
    return (
        f"{row.line} {row.kind} {row.receiver + ' ' if row.receiver else ''}{row.name} in {row.scope or '-'}"
    )


def _binding(row: Binding) -> str:
    return f"{row.line} {row.name}: {row.type} in {row.scope or '-'}"
