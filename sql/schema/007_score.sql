-- Scores: one verdict per run and task, never overwritten.
-- Inputs: run.prediction, evaluation.config, evaluation.gold. Grain: stated in each table's comment.

CREATE SCHEMA score;

CREATE TABLE score.task_result (
    run VARCHAR, task VARCHAR, task_name VARCHAR, evaluator_version VARCHAR, config_digest VARCHAR, gold_file VARCHAR,
    prediction_file VARCHAR, passed BOOLEAN, error_code VARCHAR, message VARCHAR, column_mapping INTEGER[],
    gold_row_count BIGINT, prediction_row_count BIGINT, gold_column_count INTEGER, prediction_column_count INTEGER,
    undecided BOOLEAN
);
COMMENT ON TABLE score.task_result IS 'One row per verdict. Grain: (run, task, evaluator_version, config_digest, gold_file, prediction_file)';
COMMENT ON COLUMN score.task_result.prediction_file IS 'SHA-256 of the prediction; missing: none was made; unusable: it could not be taken';
COMMENT ON COLUMN score.task_result.error_code IS 'Code of spec 1.0 of the evaluator; NULL when passed';
COMMENT ON COLUMN score.task_result.column_mapping IS 'Prediction column of each gold column, from 0; NULL unless passed';
COMMENT ON COLUMN score.task_result.undecided IS 'The alignment search met its bound; the task counts as wrong';
