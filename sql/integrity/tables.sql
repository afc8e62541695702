-- Which tables does the lake hold, with which columns?
-- Inputs: the catalog. Grain: (schema, name), in order; columns and types are lists in column order.
SELECT
    tables.schema_name AS schema, tables.table_name AS name, tables.comment,
    list(columns.column_name ORDER BY columns.column_index) AS columns,
    list(columns.data_type ORDER BY columns.column_index) AS types
FROM duckdb_tables() AS tables
JOIN duckdb_columns() AS columns
    ON columns.database_name = tables.database_name
    AND columns.schema_name = tables.schema_name AND columns.table_name = tables.table_name
WHERE tables.database_name = current_database()
GROUP BY ALL
ORDER BY schema, name;
