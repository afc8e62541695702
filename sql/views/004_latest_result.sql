-- What is the verdict in force for each run and task: same gold, configuration and prediction as now?
-- Inputs: score.task_result, run.*, workspace.task. Grain: (run, task); tasks not scored yet have passed NULL.
CREATE OR REPLACE VIEW score.due AS
SELECT
    experiment.run, task.task, task.task_name, task.corpus, task.gold_file, task.config_digest,
    CASE WHEN prediction.task IS NULL THEN 'missing' ELSE coalesce(prediction.file, 'unusable') END AS prediction_file,
    prediction.code, prediction.problem
FROM run.experiment AS experiment
JOIN workspace.task AS task ON experiment.corpus IS NULL OR experiment.corpus = task.corpus
LEFT JOIN run.prediction AS prediction ON prediction.run = experiment.run AND prediction.task = task.task;
COMMENT ON VIEW score.due IS 'Every task a run must answer, with the gold, configuration and prediction in force. Grain: (run, task)';

CREATE OR REPLACE VIEW score.latest_result AS
SELECT
    due.run, due.task, due.task_name, due.corpus, result.evaluator_version, result.passed, result.error_code,
    result.message, result.column_mapping, result.gold_row_count, result.prediction_row_count,
    result.gold_column_count, result.prediction_column_count, result.undecided
FROM score.due AS due
LEFT JOIN (
    SELECT * FROM score.task_result
    QUALIFY row_number() OVER (
        PARTITION BY run, task, config_digest, gold_file, prediction_file ORDER BY evaluator_version DESC
    ) = 1
) AS result USING (run, task, gold_file, config_digest, prediction_file);
COMMENT ON VIEW score.latest_result IS 'The verdict in force for each run and task; passed is NULL while not scored. Grain: (run, task)';
