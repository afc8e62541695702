-- The values of the compared columns as lists.
-- Inputs: temp side_column; temp wanted_column with column_code, and read_column with read_code.
-- Result: temp column_codes, grain (file_no, column_index, rule_id): the codes in row order; none for a table without
-- rows.
CREATE OR REPLACE TEMP TABLE column_codes AS
SELECT wanted_column.file_no, wanted_column.column_index, wanted_column.rule_id, listed.codes
FROM wanted_column
JOIN (SELECT column_no, list(code ORDER BY row) AS codes FROM column_code GROUP BY column_no) AS listed
    USING (column_no)
UNION ALL
SELECT known.file_no, known.column_index, known.rule_id, listed.codes
FROM (SELECT read_column.* FROM read_column SEMI JOIN side_column USING (file_no, column_index, rule_id)) AS known
JOIN (
    SELECT column_no, list(code ORDER BY row) AS codes
    FROM read_code
    WHERE column_no IN (
        SELECT column_no FROM read_column SEMI JOIN side_column USING (file_no, column_index, rule_id)
    )
    GROUP BY column_no
) AS listed USING (column_no);
