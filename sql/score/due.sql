-- Which verdicts are missing for the evaluator at hand?
-- Inputs: evaluator version ($1), runs ($2) and tasks ($3, ids or names), NULL for all; score.due, score.verdict,
-- evaluation.table_file. Grain: (gold_file, config_digest, prediction_file), with the rows there are to look at.
SELECT
    missing.gold_file, missing.config_digest, missing.prediction_file,
    coalesce(any_value(gold.row_count), 0) + coalesce(any_value(prediction.row_count), 0) AS row_count
FROM score.due AS missing
ANTI JOIN (SELECT * FROM score.verdict WHERE evaluator_version = $1) AS done
    USING (gold_file, config_digest, prediction_file)
LEFT JOIN evaluation.table_file AS gold ON gold.file = missing.gold_file
LEFT JOIN evaluation.table_file AS prediction ON prediction.file = missing.prediction_file
WHERE ($2 IS NULL OR list_contains($2, missing.run))
    AND ($3 IS NULL OR list_contains($3, missing.task) OR list_contains($3, missing.task_name))
GROUP BY missing.gold_file, missing.config_digest, missing.prediction_file
ORDER BY min(length(missing.task_name)), min(missing.task_name), missing.gold_file, missing.prediction_file;
