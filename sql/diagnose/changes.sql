-- How do the values of matched columns differ, in any order of rows?
-- Inputs: temp shape, matched, wanted_column, matched_code; evaluation.rule.
-- Results: temp pair_column, grain (pair_id, gold_index, sign): sign is 1 for gold, -1 for the prediction; temp
-- pair_value, grain (pair_id, gold_index, sign, text_id); temp balance, grain (pair_id, gold_index, code): how many more
-- of a value gold has, where there is a difference; temp change, grain (pair_id, gold_index): lacking and surplus
-- count gold's values without counterpart and the prediction's, changed how many can be one instead of the other.
CREATE OR REPLACE TEMP TABLE pair_column AS
SELECT matched.*, side.sign, wanted.column_no
FROM matched
JOIN shape USING (pair_id)
CROSS JOIN (VALUES (1), (-1)) AS side (sign)
JOIN wanted_column AS wanted
    ON wanted.file_no = CASE side.sign WHEN 1 THEN shape.gold_no ELSE shape.prediction_no END
    AND wanted.column_index = CASE side.sign WHEN 1 THEN matched.gold_index ELSE matched.prediction_index END
    AND wanted.rule_id = matched.rule_id;

CREATE OR REPLACE TEMP TABLE column_value AS
SELECT column_no, text_id, any_value(code) AS code, count(*) AS n, min(row) AS first_row
FROM matched_code
GROUP BY column_no, text_id;

CREATE OR REPLACE TEMP VIEW pair_value AS
SELECT pair_column.pair_id, pair_column.gold_index, pair_column.sign, value.text_id, value.code, value.n, value.first_row
FROM pair_column
JOIN column_value AS value USING (column_no);

CREATE OR REPLACE TEMP TABLE balance AS
SELECT pair_id, gold_index, code, sum(sign * n)::BIGINT AS more
FROM pair_value
GROUP BY pair_id, gold_index, code
HAVING more <> 0;

CREATE OR REPLACE TEMP TABLE change AS
WITH total AS (
    SELECT
        pair_id, gold_index, sum(more) FILTER (more > 0) AS lacking, -sum(more) FILTER (more < 0) AS surplus,
        -sum(more) FILTER (code IS NULL) AS unreadable
    FROM balance
    GROUP BY pair_id, gold_index
)
SELECT
    matched.pair_id, matched.gold_index, matched.prediction_index, matched.rule_id, matched.evident, rule.type,
    rule.mode, rule.digits, canon_number_kind(rule.mode, rule.digits, rule.unit, rule.allow_percent_sign) AS kind,
    coalesce(total.lacking, 0)::BIGINT AS lacking, coalesce(total.surplus, 0)::BIGINT AS surplus,
    coalesce(total.unreadable, 0)::BIGINT AS unreadable,
    least(coalesce(total.lacking, 0), coalesce(total.surplus, 0))::BIGINT AS changed
FROM matched
JOIN evaluation.rule AS rule USING (rule_id)
LEFT JOIN total USING (pair_id, gold_index);

-- The values of changed columns, with what their texts say.
CREATE OR REPLACE TEMP VIEW changed_value AS
SELECT
    value.*, change.type, change.mode, change.digits, change.kind, reading.is_null, reading.size,
    canon_form_kind(reading.number_form) AS form, canon_form_scale(reading.number_form)::INTEGER AS scale,
    canon_form_length(reading.number_form)::INTEGER AS length
FROM pair_value AS value
JOIN change USING (pair_id, gold_index)
JOIN evaluation.text_reading AS reading USING (text_id)
WHERE change.changed > 0;
