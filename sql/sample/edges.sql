-- Which row references which, in one database?
-- Inputs: db ($1); source.key_edge, source.db_key. Grain: distinct pairs of (table, row) references.
SELECT DISTINCT key.table_name AS child_table, edge.child_rowid, key.ref_table AS parent_table, edge.parent_rowid
FROM source.key_edge AS edge
JOIN source.db_key AS key ON key.key = edge.key
WHERE edge.db = ? AND (key.table_name, edge.child_rowid) <> (key.ref_table, edge.parent_rowid);
