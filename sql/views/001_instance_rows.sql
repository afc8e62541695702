-- Which source rows does a task's instance hold, in one table?
-- Inputs: task_key (id or name of a task, such as 'task_12') and relation (lake name of a source table, such as 'src_fund.nav').
-- Grain: one row per selected source row, in the columns of that table.
CREATE OR REPLACE MACRO sampling.instance_rows(task_key, relation) AS TABLE (
    SELECT source_row.*
    FROM query_table(relation) AS source_row
    SEMI JOIN (
        SELECT selected._rowid
        FROM sampling.selected_row AS selected
        JOIN sampling.instance AS instance ON instance.task = selected.task AND instance.attempt = selected.attempt
        JOIN source.question AS question ON question.question = instance.question
        JOIN source.db AS db ON db.db = instance.db
        JOIN source.db_table AS db_table ON db_table.db = instance.db AND db_table.table_name = selected.table_name
        WHERE instance.status = 'accepted'
            AND (instance.task = task_key OR 'task_' || question.number = task_key)
            AND replace(db.schema_name || '.' || db_table.lake_table, '"', '') = replace(relation, '"', '')
    ) AS chosen ON chosen._rowid = source_row._rowid
);
