-- Which tables of a database have gaps between their row ids, so that an ordinal is not a row id?
-- Inputs: db ($1); source.db_table, source.db. Grain: (schema_name, lake_table).
SELECT db.schema_name, db_table.lake_table, db_table.table_name
FROM source.db_table AS db_table
JOIN source.db AS db ON db.db = db_table.db
WHERE db_table.db = ?
    AND db_table.row_count > 0
    AND db_table.last_rowid::HUGEINT - db_table.first_rowid + 1 <> db_table.row_count
ORDER BY db_table.position;
