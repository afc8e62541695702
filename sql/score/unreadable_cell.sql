-- Its first cell that cannot be read.
-- Inputs: temp wanted_column, column_code; evaluation.text. Grain: one row: pair, column, row, text.
SELECT wanted_column.pair_id, wanted_column.column_index, column_code.row, text.text
FROM column_code
JOIN wanted_column USING (column_no)
JOIN evaluation.text USING (text_id)
WHERE column_code.code IS NULL
ORDER BY column_code.row
LIMIT 1;
