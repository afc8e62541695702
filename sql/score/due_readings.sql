-- Which columns of which files must be read under which rules, and have not been yet?
-- Inputs: temp pair, config_rule; evaluation.rule, column_reading.
-- Result: temp wanted_column, grain (column_no): gold columns under their own rules, the columns of predictions of the
-- gold's shape under every rule of the configuration. Of their first rows to begin with: a column that cannot be read
-- mostly shows it there.
CREATE OR REPLACE TEMP TABLE wanted_column AS
WITH wanted AS (
    SELECT pair.gold_no AS file_no, config_rule.gold_index AS column_index, config_rule.rule_id
    FROM pair
    JOIN config_rule USING (config_id)
    JOIN evaluation.rule USING (rule_id)
    -- Any text can be read as text, so where nothing is compared there is nothing to learn.
    WHERE pair.comparable OR rule.type <> 'text'
    UNION
    SELECT pair.prediction_no, place.range, rule.rule_id
    FROM pair
    JOIN (SELECT DISTINCT config_id, rule_id FROM config_rule) AS rule USING (config_id)
    JOIN range(64) AS place ON place.range < pair.width
    WHERE pair.comparable
)
SELECT row_number() OVER ()::INTEGER AS column_no, file_no, column_index::INTEGER AS column_index, rule_id, 4 AS row_limit
FROM wanted
ANTI JOIN (SELECT * FROM evaluation.column_reading WHERE hashed_by = version()) AS known
    USING (file_no, column_index, rule_id);
