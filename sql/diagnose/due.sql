-- Which failed verdicts in force have no diagnosis yet?
-- Inputs: runs ($1) and tasks ($2, ids or names), NULL for all; score.task_result, score.symptom, evaluation.table_file.
-- Grain: (gold_file, config_digest, prediction_file, evaluator_version); cost: about how many cells there are to read.
SELECT
    failed.gold_file, failed.config_digest, failed.prediction_file, failed.evaluator_version,
    any_value(failed.error_code) AS error_code, coalesce(any_value(failed.undecided), false) AS undecided,
    CASE
        WHEN any_value(prediction.column_count) IS NULL THEN 1
        ELSE
            2 * any_value(gold.row_count * gold.column_count + prediction.row_count * prediction.column_count)
            + least(
                4000000,
                any_value(
                    greatest(gold.row_count, prediction.row_count)
                    * gold.column_count * (prediction.column_count + 1)
                )
            )
            + 50
    END::BIGINT AS cost
FROM score.task_result AS failed
ANTI JOIN score.symptom AS known USING (gold_file, config_digest, prediction_file, evaluator_version)
LEFT JOIN evaluation.table_file AS gold ON gold.file = failed.gold_file
LEFT JOIN evaluation.table_file AS prediction ON prediction.file = failed.prediction_file
WHERE NOT failed.passed
    AND ($1 IS NULL OR list_contains($1, failed.run))
    AND ($2 IS NULL OR list_contains($2, failed.task) OR list_contains($2, failed.task_name))
GROUP BY failed.gold_file, failed.config_digest, failed.prediction_file, failed.evaluator_version
ORDER BY min(length(failed.task_name)), min(failed.task_name), failed.gold_file, failed.prediction_file;
