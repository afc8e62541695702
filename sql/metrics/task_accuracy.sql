-- What share of its tasks did each run answer correctly (Task Accuracy, DataSpace 4.5)?
-- Inputs: score.task_result. Grain: (run). Missing and invalid predictions count as wrong; tasks not scored yet are left out.
CREATE SCHEMA IF NOT EXISTS metrics;

CREATE OR REPLACE VIEW metrics.task_accuracy AS
SELECT
    run,
    count(*) FILTER (passed IS NOT NULL) AS tasks,
    count(*) FILTER (passed) AS passed,
    count(*) FILTER (passed) / nullif(count(*) FILTER (passed IS NOT NULL), 0) AS accuracy,
    count(*) FILTER (passed IS NULL) AS pending
FROM score.task_result
GROUP BY run;
COMMENT ON VIEW metrics.task_accuracy IS 'Task accuracy of each run; missing and invalid predictions count as wrong. Grain: (run)';

CREATE OR REPLACE VIEW metrics.accuracy_by_stratum AS
WITH stratum AS (
    SELECT task, 'corpus' AS dimension, corpus AS value FROM workspace.task
    UNION ALL SELECT task, 'database', db_id FROM workspace.task
    UNION ALL SELECT task, 'language', nullif(language, '') FROM workspace.task
    UNION ALL SELECT task, 'difficulty', nullif(difficulty, '') FROM workspace.task
    UNION ALL SELECT task, 'order', CASE WHEN order_sensitive THEN 'order-sensitive' ELSE 'any order' END FROM workspace.task
    UNION ALL SELECT task, 'answer shape',
        CASE WHEN gold_rows = 0 THEN 'empty' WHEN gold_rows = 1 THEN 'one row' ELSE 'rows' END
        || ', ' || CASE WHEN gold_columns = 1 THEN 'one column' ELSE 'columns' END
        FROM workspace.task
)
SELECT
    result.run, stratum.dimension, stratum.value,
    count(*) AS tasks, count(*) FILTER (result.passed) AS passed, count(*) FILTER (result.passed) / count(*) AS accuracy
FROM score.task_result AS result
JOIN stratum ON stratum.task = result.task
WHERE result.passed IS NOT NULL AND stratum.value IS NOT NULL
GROUP BY result.run, stratum.dimension, stratum.value;
COMMENT ON VIEW metrics.accuracy_by_stratum IS 'Task accuracy of each run by corpus, database, language, difficulty, order and answer shape. Grain: (run, dimension, value)';
