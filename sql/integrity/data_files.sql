-- Which files under data/ does DuckLake know, of any snapshot, those it has yet to remove included?
-- Inputs: DuckLake's own tables in the catalog. Grain: one row per file; the name alone, which is unique (a UUID).
SELECT parse_filename(path, false, '/') AS name
FROM (
    SELECT path FROM __ducklake_metadata_lake.ducklake_data_file
    UNION ALL
    SELECT path FROM __ducklake_metadata_lake.ducklake_delete_file
    UNION ALL
    SELECT path FROM __ducklake_metadata_lake.ducklake_files_scheduled_for_deletion
);
