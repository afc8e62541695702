-- Which rows may each task of a batch draw from each table of a database?
-- Inputs: batch (task, seed, budget) registered by the caller, db ($1); source.db_table.
-- Grain: one row per task and kept table; dense says that ordinal and _rowid differ by a constant only.
SELECT
    batch.task, db_table.table_name, db_table.row_count, batch.seed,
    coalesce(own.budget, batch.budget) AS budget,
    db_table.first_rowid,
    db_table.row_count = 0 OR db_table.last_rowid::HUGEINT - db_table.first_rowid + 1 = db_table.row_count AS dense
FROM batch
CROSS JOIN source.db_table AS db_table
LEFT JOIN table_budget AS own ON own.table_name = db_table.table_name
WHERE db_table.db = ? AND db_table.refused IS NULL;
