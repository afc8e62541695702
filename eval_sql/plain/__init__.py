"""The plain evaluator: row by row, exact, one task at a time. Only `eval_sql.suite` calls it."""
