-- The cells of the files of the wanted columns.
-- Inputs: temp wanted_column; evaluation.table_row. Result: temp cell, grain (file_no, column_index, row).
CREATE OR REPLACE TEMP TABLE cell AS
SELECT file_no, row, unnest(cells) AS text_id, unnest(range(len(cells)))::INTEGER AS column_index
FROM evaluation.table_row
WHERE file_no IN (SELECT file_no FROM wanted_column);
