"""The common table expressions (CTEs) of a statement: which names are theirs, and where."""

from __future__ import annotations

from sqlglot import exp


def cte_of(table: exp.Table) -> exp.CTE | None:
    """Returns the CTE that a name in a statement means; None where it is a table's.

    A name means the CTE nearest around it. Within WITH those before count, so that a CTE may be
    called as the very table that it reads.
    """
    if table.db or not table.name:
        return None
    within: exp.Expr = table
    around = table.parent
    while around is not None:
        defined: list[exp.CTE] = []
        if isinstance(around, exp.With):
            place = next(i for i, cte in enumerate(around.expressions) if cte is within)
            defined = around.expressions[:place]
        elif (given := around.args.get("with_")) is not None and given is not within:
            defined = given.expressions
        for cte in defined:
            if cte.alias.lower() == table.name.lower():
                return cte
        within, around = around, around.parent
    return None
