-- Which verdicts are missing for the evaluator at hand?
-- Inputs: evaluator version ($1), run ($2, NULL for all); score.due, score.task_result, evaluation.config.
-- Grain: (run, task), in order of run and task number.
SELECT
    due.run, due.task, due.task_name, due.gold_file, due.config_digest, due.prediction_file, due.problem, config.body
FROM score.due AS due
JOIN evaluation.config AS config ON config.task = due.task AND config.digest = due.config_digest
ANTI JOIN (SELECT * FROM score.task_result WHERE evaluator_version = $1) AS done
    USING (run, task, gold_file, config_digest, prediction_file)
WHERE $2 IS NULL OR due.run = $2
QUALIFY row_number() OVER (PARTITION BY due.run, due.task ORDER BY config.version DESC) = 1
ORDER BY due.run, length(due.task_name), due.task_name;
