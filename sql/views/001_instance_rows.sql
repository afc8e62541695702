-- Which source rows does a task's instance hold, in one table?
-- Inputs: task_key (id or name of a task, such as 'task_12') and relation (lake name of a source table, such as 'src_fund.nav').
-- An error where no sampled task is called so, or where it is about another database: no rows would read as an empty sample.
-- Grain: one row per selected source row, in the columns of that table.
CREATE OR REPLACE MACRO sampling.instance_rows(task_key, relation) AS TABLE (
    -- Without GROUP BY an aggregate gives its one row also when there is nothing to aggregate.
    WITH sampled AS (
        SELECT
            coalesce(any_value(instance.task), error('no sampled task is called ' || coalesce(task_key, 'NULL'))) AS task,
            any_value(instance.attempt) AS attempt, any_value(instance.db) AS db
        FROM sampling.instance AS instance
        JOIN source.question AS question ON question.question = instance.question
        WHERE instance.status = 'accepted' AND (instance.task = task_key OR 'task_' || question.number = task_key)
    ), place AS (
        SELECT
            any_value(sampled.task) AS task, any_value(sampled.attempt) AS attempt,
            coalesce(any_value(db_table.table_name), error('the database of ' || task_key || ' has no table ' || relation))
                AS table_name
        FROM sampled
        LEFT JOIN source.db AS db ON db.db = sampled.db
        LEFT JOIN source.db_table AS db_table
            ON db_table.db = sampled.db
            AND lower(replace(db.schema_name || '.' || db_table.lake_table, '"', '')) = lower(replace(relation, '"', ''))
    )
    SELECT source_row.*
    FROM query_table(relation) AS source_row
    SEMI JOIN (
        SELECT selected._rowid
        FROM sampling.selected_row AS selected
        JOIN place ON place.task = selected.task AND place.attempt = selected.attempt
            AND place.table_name = selected.table_name
    ) AS chosen ON chosen._rowid = source_row._rowid
);
