-- Put the exact path's values in place.
-- Inputs: temp column_code, wanted_column; evaluation.exact_value. Result: temp column_code without slow codes.
UPDATE column_code
SET code = exact.code
FROM (
    SELECT wanted_column.column_no, exact_value.text_id, exact_value.code
    FROM wanted_column
    JOIN evaluation.exact_value USING (rule_id)
) AS exact
WHERE column_code.code = canon_slow()
    AND column_code.column_no = exact.column_no AND column_code.text_id = exact.text_id;
