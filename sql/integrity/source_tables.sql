-- Which lake tables hold the rows of ingested databases, how many were ingested, and are the tables there?
-- Inputs: source.db, source.db_table, the catalog. Grain: (schema, name), in order.
SELECT
    db.schema_name AS schema, db_table.lake_table AS name, db_table.row_count, tables.table_name IS NOT NULL AS there
FROM source.db_table AS db_table
JOIN source.db AS db ON db.db = db_table.db
LEFT JOIN duckdb_tables() AS tables
    ON tables.database_name = current_database()
    AND tables.schema_name = db.schema_name AND tables.table_name = db_table.lake_table
WHERE db_table.lake_table IS NOT NULL
ORDER BY schema, name;
