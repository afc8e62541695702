-- Natural names of columns, as the question set gives them, beside the columns they belong to.
-- Inputs: incoming_label (db_id, table_name, column_name, label), corpus ($1); source.db, source.db_column.
-- Grain: at most one label per column of the corpus's databases; a label already there stays.
UPDATE source.db_column SET label = given.label
FROM (
    SELECT db.db, lower(incoming_label.table_name) AS table_name, lower(incoming_label.column_name) AS column_name,
        any_value(incoming_label.label) AS label
    FROM incoming_label
    JOIN source.db AS db ON db.corpus = ? AND db.db_id = incoming_label.db_id
    WHERE incoming_label.column_name IS NOT NULL
    GROUP BY ALL
) AS given
WHERE given.db = source.db_column.db
    AND given.table_name = lower(source.db_column.table_name)
    AND given.column_name = lower(source.db_column.column_name)
    AND source.db_column.label IS NULL;
