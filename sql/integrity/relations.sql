-- Which tables and views does the lake hold, and what is one row of each?
-- Inputs: the catalog. Grain: (schema, name); grain is the part of the comment that states it, comment the rest.
WITH relation AS (
    SELECT schema_name, table_name AS name, 'table' AS kind, comment
    FROM duckdb_tables() WHERE database_name = current_database()
    UNION ALL
    SELECT schema_name, view_name, 'view', comment
    FROM duckdb_views() WHERE database_name = current_database() AND NOT internal
)
SELECT
    schema_name AS schema, name, kind,
    trim(regexp_replace(coalesce(comment, ''), 'Grain: \([^()]*\)\s*$', '')) AS comment,
    nullif(regexp_extract(coalesce(comment, ''), 'Grain: \(([^()]*)\)\s*$', 1), '') AS grain
FROM relation
ORDER BY ALL;
