-- Which verdicts are missing for the evaluator at hand?
-- Inputs: evaluator version ($1), run ($2, NULL for all); score.due, score.task_result, evaluation.config.
-- Grain: (run, task), in order of run and task number.
WITH missing AS (
    SELECT *
    FROM score.due
    ANTI JOIN (SELECT * FROM score.task_result WHERE evaluator_version = $1) AS done
        USING (run, task, gold_file, config_digest, prediction_file)
    WHERE $2 IS NULL OR run = $2
)
SELECT
    missing.run, missing.task, missing.task_name, missing.gold_file, missing.config_digest, missing.prediction_file,
    missing.problem, config.body
FROM missing
JOIN evaluation.config AS config ON config.task = missing.task AND config.digest = missing.config_digest
QUALIFY row_number() OVER (PARTITION BY missing.run, missing.task ORDER BY config.version DESC) = 1
ORDER BY missing.run, length(missing.task_name), missing.task_name;
