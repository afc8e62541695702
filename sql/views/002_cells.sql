-- What does each cell of a gold table or of a prediction hold?
-- Inputs: evaluation.gold, run.prediction, evaluation.table_row, evaluation.table_file. Grain: one row per cell.
CREATE OR REPLACE VIEW evaluation.gold_cell AS
SELECT
    gold.task, gold.task_name, table_row.row, generate_subscripts(table_row.cells, 1) - 1 AS column_index,
    unnest(table_file.header) AS column_name, unnest(table_row.cells) AS text
FROM evaluation.gold AS gold
JOIN evaluation.table_file AS table_file ON table_file.file = gold.file
JOIN evaluation.table_row AS table_row ON table_row.file = gold.file;
COMMENT ON VIEW evaluation.gold_cell IS 'Cells of the gold tables. Grain: (task, row, column_index)';

CREATE OR REPLACE VIEW run.prediction_cell AS
SELECT
    prediction.run, prediction.task, prediction.task_name, table_row.row,
    generate_subscripts(table_row.cells, 1) - 1 AS column_index,
    unnest(table_file.header) AS column_name, unnest(table_row.cells) AS text
FROM run.prediction AS prediction
JOIN evaluation.table_file AS table_file ON table_file.file = prediction.file
JOIN evaluation.table_row AS table_row ON table_row.file = prediction.file;
COMMENT ON VIEW run.prediction_cell IS 'Cells of the readable predictions. Grain: (run, task, row, column_index)';
