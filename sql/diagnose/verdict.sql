-- What is the verdict in force on a run's task, and on which files was it given?
-- Inputs: run ($1), task by id or name ($2); score.due, score.task_result, evaluation.config, table_file.
-- Grain: one row per task of that id or name; passed is NULL while it is not scored.
SELECT
    due.task, due.task_name, due.gold_file, due.prediction_file, due.problem, config.body, result.passed,
    result.error_code, result.message, result.undecided, result.column_mapping, result.gold_row_count,
    result.prediction_row_count, result.gold_column_count, result.prediction_column_count,
    coalesce(gold.header, []), coalesce(prediction.header, [])
FROM score.due AS due
JOIN score.task_result AS result ON result.run = due.run AND result.task = due.task
JOIN (SELECT digest, any_value(body) AS body FROM evaluation.config GROUP BY digest) AS config
    ON config.digest = due.config_digest
LEFT JOIN evaluation.table_file AS gold ON gold.file = due.gold_file
LEFT JOIN evaluation.table_file AS prediction ON prediction.file = due.prediction_file
WHERE due.run = $1 AND (due.task = $2 OR due.task_name = $2)
ORDER BY due.task;
