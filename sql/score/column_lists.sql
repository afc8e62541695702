-- The values of the paired columns as lists.
-- Inputs: temp wanted_column, column_code. Result: temp column_codes, grain (file_no, column_index, rule_id): the codes
-- in row order; a table without rows has none.
CREATE OR REPLACE TEMP TABLE column_codes AS
SELECT wanted_column.file_no, wanted_column.column_index, wanted_column.rule_id, listed.codes
FROM wanted_column
JOIN (SELECT column_no, list(code ORDER BY row) AS codes FROM column_code GROUP BY column_no) AS listed
    USING (column_no);
