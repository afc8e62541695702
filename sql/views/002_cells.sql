-- What does each cell of a gold table or of a prediction hold?
-- Inputs: evaluation.gold, run.prediction, evaluation.table_row, table_file, text. Grain: one row per cell.
CREATE OR REPLACE VIEW evaluation.table_cell AS
SELECT cell.file, cell.row, cell.column_index, cell.column_name, text.text
FROM (
    SELECT
        table_file.file, table_row.row, generate_subscripts(table_row.cells, 1) - 1 AS column_index,
        unnest(table_file.header) AS column_name, unnest(table_row.cells) AS text_id
    FROM evaluation.table_row AS table_row
    JOIN evaluation.table_file AS table_file ON table_file.file_no = table_row.file_no
) AS cell
JOIN evaluation.text AS text ON text.text_id = cell.text_id;
COMMENT ON VIEW evaluation.table_cell IS 'Cells of the readable table files. Grain: (file, row, column_index)';

CREATE OR REPLACE VIEW evaluation.gold_cell AS
SELECT gold.task, gold.task_name, cell.row, cell.column_index, cell.column_name, cell.text
FROM evaluation.gold AS gold
JOIN evaluation.table_cell AS cell ON cell.file = gold.file;
COMMENT ON VIEW evaluation.gold_cell IS 'Cells of the gold tables. Grain: (task, row, column_index)';

CREATE OR REPLACE VIEW run.prediction_cell AS
SELECT
    prediction.run, prediction.task, prediction.task_name, cell.row, cell.column_index, cell.column_name, cell.text
FROM run.prediction AS prediction
JOIN evaluation.table_cell AS cell ON cell.file = prediction.file;
COMMENT ON VIEW run.prediction_cell IS 'Cells of the readable predictions. Grain: (run, task, row, column_index)';
