-- What is each due pair: what is compared with what, and is there anything to compare?
-- Inputs: temp due, grain (pair_id): gold_file, config_id, ordered, prediction_file (a digest, 'missing' or
-- 'unusable'), problem; evaluation.table_file. Result: temp pair, grain (pair_id). width and row_count are gold's.
CREATE OR REPLACE TEMP TABLE pair AS
SELECT
    due.pair_id, due.config_id, due.ordered, due.prediction_file = 'missing' AS missing,
    coalesce(due.problem, substr(prediction.problem, instr(prediction.problem, ': ') + 2)) AS problem, gold.file_no AS gold_no, gold.column_count AS width,
    gold.row_count::INTEGER AS row_count, prediction.file_no AS prediction_no,
    prediction.column_count AS prediction_width, prediction.row_count::INTEGER AS prediction_rows,
    coalesce(
        prediction.column_count = gold.column_count AND prediction.row_count = gold.row_count, false
    ) AS comparable
FROM due
JOIN evaluation.table_file AS gold ON gold.file = due.gold_file
LEFT JOIN evaluation.table_file AS prediction ON prediction.file = due.prediction_file;
