-- What is the verdict in force for each run and task, under the gold, configuration and prediction of now, and which
-- were there before?
-- Inputs: score.verdict, run.*, workspace.task, evaluation.suite_task, gold, config. Grain: stated in each view's comment.
CREATE OR REPLACE VIEW evaluation.task AS
SELECT task, task_name, corpus, gold_file, config_version, config_digest FROM workspace.task
UNION ALL
SELECT suite.task, suite.task_name, suite.corpus, gold.file, config.version, config.digest
FROM evaluation.suite_task AS suite
JOIN evaluation.gold AS gold ON gold.task = suite.task
JOIN (
    SELECT task, max(version) AS version, max_by(digest, version) AS digest FROM evaluation.config GROUP BY task
) AS config ON config.task = suite.task;
COMMENT ON VIEW evaluation.task IS 'Every task that can be scored, rendered here or taken from a suite, with the gold and configuration in force. Grain: (task)';

CREATE OR REPLACE VIEW score.due AS
SELECT
    experiment.run, task.task, task.task_name, task.corpus, task.gold_file, task.config_digest,
    CASE WHEN prediction.task IS NULL THEN 'missing' ELSE coalesce(prediction.file, 'unusable') END AS prediction_file,
    prediction.code, prediction.problem
FROM run.experiment AS experiment
JOIN evaluation.task AS task ON experiment.corpus IS NULL OR experiment.corpus = task.corpus
LEFT JOIN run.prediction AS prediction ON prediction.run = experiment.run AND prediction.task = task.task;
COMMENT ON VIEW score.due IS 'Every task a run must answer, with the gold, configuration and prediction in force. Grain: (run, task)';

CREATE OR REPLACE VIEW score.task_result AS
SELECT
    due.run, due.task, due.task_name, due.corpus, verdict.evaluator_version, due.config_digest, due.gold_file,
    due.prediction_file, verdict.passed, verdict.error_code, coalesce(due.problem, verdict.message) AS message,
    verdict.column_mapping, verdict.gold_row_count, verdict.prediction_row_count, verdict.gold_column_count,
    verdict.prediction_column_count, verdict.undecided
FROM score.due AS due
LEFT JOIN (
    SELECT * FROM score.verdict
    QUALIFY row_number() OVER (
        PARTITION BY config_digest, gold_file, prediction_file ORDER BY evaluator_version DESC
    ) = 1
) AS verdict USING (gold_file, config_digest, prediction_file);
COMMENT ON VIEW score.task_result IS 'The verdict in force for each run and task; passed is NULL while not scored. Grain: (run, task)';

CREATE OR REPLACE VIEW score.result_history AS
SELECT
    due.run, due.task, due.task_name, due.corpus, verdict.evaluator_version, verdict.config_digest, verdict.gold_file,
    verdict.prediction_file, config.version AS config_version,
    verdict.gold_file = due.gold_file AND verdict.config_digest = due.config_digest AS in_force, verdict.passed,
    verdict.error_code, coalesce(due.problem, verdict.message) AS message, verdict.column_mapping, verdict.undecided
FROM score.due AS due
JOIN evaluation.config AS config ON config.task = due.task
JOIN score.verdict AS verdict
    ON verdict.config_digest = config.digest AND verdict.prediction_file = due.prediction_file;
COMMENT ON VIEW score.result_history IS 'All verdicts ever given on the predictions of the runs. Grain: (run, task, evaluator_version, config_version, gold_file)';
