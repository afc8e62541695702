-- Which columns of which files must be read under which rules, and have not been yet?
-- Inputs: temp pair, config_rule; evaluation.column_reading.
-- Result: temp wanted_column, grain (column_no): gold columns under their own rules, the columns of predictions of the
-- gold's shape under every rule of the configuration.
CREATE OR REPLACE TEMP TABLE wanted_column AS
WITH wanted AS (
    SELECT pair.gold_no AS file_no, config_rule.gold_index AS column_index, config_rule.rule_id
    FROM pair
    JOIN config_rule USING (config_id)
    UNION
    SELECT pair.prediction_no, place.range, rule.rule_id
    FROM pair
    JOIN (SELECT DISTINCT config_id, rule_id FROM config_rule) AS rule USING (config_id)
    JOIN range(64) AS place ON place.range < pair.width
    WHERE pair.comparable
)
SELECT row_number() OVER ()::INTEGER AS column_no, file_no, column_index::INTEGER AS column_index, rule_id
FROM wanted
ANTI JOIN (SELECT * FROM evaluation.column_reading WHERE hashed_by = version()) AS known
    USING (file_no, column_index, rule_id);
