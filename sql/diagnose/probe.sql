-- Which columns must be read, and how many rows of them, to find out which columns belong together?
-- Inputs: temp shape, config_rule.
-- Result: temp wanted_column, grain (column_no): gold columns under their own rules, the prediction's under all.
CREATE OR REPLACE TEMP TABLE wanted_column AS
SELECT row_number() OVER ()::INTEGER AS column_no, file_no, column_index, rule_id, max(sampled) AS row_limit
FROM (
    SELECT shape.gold_no AS file_no, config_rule.gold_index AS column_index, config_rule.rule_id, shape.sampled
    FROM shape
    JOIN config_rule USING (config_id)
    UNION
    SELECT shape.prediction_no, place.range::INTEGER, rule.rule_id, shape.sampled
    FROM shape
    JOIN (SELECT DISTINCT config_id, rule_id FROM config_rule) AS rule USING (config_id)
    JOIN range(64) AS place ON place.range < shape.prediction_width
)
GROUP BY file_no, column_index, rule_id;
