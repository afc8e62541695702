-- How many selected rows of each task break a foreign key in the source already?
-- Inputs: selected (task, table_name, _rowid) registered by the caller, db ($1); source.key_violation, source.db_key.
-- Grain: (task, table_name, position), position being SQLite's own number of the foreign key in its table.
SELECT selected.task, key.table_name, key.position, count(*) AS violations
FROM selected
JOIN source.db_key AS key ON key.db = ? AND key.table_name = selected.table_name AND key.origin = 'declared'
JOIN source.key_violation AS violation ON violation.key = key.key AND violation.child_rowid = selected._rowid
WHERE key.kind = 'foreign'
GROUP BY ALL;
