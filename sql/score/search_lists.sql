-- The values of the columns of one pair as lists.
-- Inputs: temp wanted_column, column_code. Grain: (side, column_index, rule_id), codes in row order.
SELECT wanted_column.side, wanted_column.column_index, wanted_column.rule_id, listed.codes
FROM wanted_column
JOIN (SELECT column_no, list(code ORDER BY row) AS codes FROM column_code GROUP BY column_no) AS listed
    USING (column_no)
ORDER BY wanted_column.rule_id, wanted_column.column_index, wanted_column.side;
