-- Why did each failed task fail?
-- Inputs: score.task_result, score.symptom, score.due, evaluation.config, config_column, table_file.
-- Grain: stated in the view's comment.
CREATE OR REPLACE VIEW score.diagnosis AS
SELECT
    result.run, result.task, result.task_name, result.corpus, result.error_code, symptom.place, symptom.code,
    symptom.gold_column, config_column.gold_name, symptom.prediction_column,
    prediction.header[symptom.prediction_column + 1] AS prediction_name, symptom.row_count, symptom.examples,
    CASE WHEN symptom.code = 'unreadable_csv' THEN coalesce(due.problem, symptom.sentence) ELSE symptom.sentence END AS sentence
FROM score.task_result AS result
JOIN score.due AS due USING (run, task)
JOIN score.symptom AS symptom
    ON symptom.prediction_file = result.prediction_file AND symptom.gold_file = result.gold_file
    AND symptom.config_digest = result.config_digest AND symptom.evaluator_version = result.evaluator_version
LEFT JOIN evaluation.table_file AS prediction ON prediction.file = result.prediction_file
LEFT JOIN (
    SELECT config.task, config.digest, config_column.gold_index, any_value(config_column.gold_name) AS gold_name
    FROM evaluation.config AS config
    JOIN evaluation.config_column AS config_column
        ON config_column.task = config.task AND config_column.version = config.version
    GROUP BY config.task, config.digest, config_column.gold_index
) AS config_column
    ON config_column.task = result.task AND config_column.digest = result.config_digest
    AND config_column.gold_index = symptom.gold_column
WHERE NOT result.passed;
COMMENT ON VIEW score.diagnosis IS 'What differs in each failed task under the verdict in force; docs/codes.md lists the codes. Grain: (run, task, place)';
