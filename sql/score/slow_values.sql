-- Which values must the exact path decide, and has not yet?
-- Inputs: temp column_code, wanted_column; evaluation.exact_value, text, rule.
-- Grain: (rule_id, text_id), with the text and the rule's fields.
SELECT
    slow.rule_id, slow.text_id, text.text, rule.type, rule.mode, rule.digits, rule.unit, rule.allow_percent_sign
FROM (
    SELECT DISTINCT wanted_column.rule_id, column_code.text_id
    FROM column_code
    JOIN wanted_column USING (column_no)
    WHERE column_code.code = canon_slow()
) AS slow
ANTI JOIN evaluation.exact_value AS known USING (rule_id, text_id)
JOIN evaluation.text USING (text_id)
JOIN evaluation.rule USING (rule_id)
ORDER BY slow.rule_id, slow.text_id;
