-- Put the exact path's values in place.
-- Inputs: temp column_code, wanted_column; evaluation.exact_value. Result: temp column_code without slow codes.
-- Joined, not updated: an update of millions of slow values takes a minute.
CREATE OR REPLACE TEMP TABLE column_code AS
SELECT
    code.column_no, code.row, code.text_id, CASE WHEN code.code = canon_slow() THEN exact.code ELSE code.code END AS code
FROM column_code AS code
LEFT JOIN (
    SELECT wanted_column.column_no, exact_value.text_id, exact_value.code
    FROM wanted_column
    JOIN evaluation.exact_value USING (rule_id)
) AS exact ON exact.column_no = code.column_no AND exact.text_id = code.text_id;
