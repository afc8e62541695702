-- All columns of one pair, gold's under their own rules and the prediction's under every rule that reads them.
-- Inputs: $pair_id; temp pair, config_rule; evaluation.column_reading. Result: temp wanted_column.
CREATE OR REPLACE TEMP TABLE wanted_column AS
SELECT row_number() OVER ()::INTEGER AS column_no, 100000 AS row_limit, *
FROM (
    SELECT 'gold' AS side, pair.gold_no AS file_no, config_rule.gold_index AS column_index, config_rule.rule_id
    FROM pair
    JOIN config_rule USING (config_id)
    WHERE pair.pair_id = $pair_id
    UNION
    SELECT 'prediction', reading.file_no, reading.column_index, reading.rule_id
    FROM pair
    JOIN config_rule USING (config_id)
    JOIN evaluation.column_reading AS reading
        ON reading.file_no = pair.prediction_no AND reading.rule_id = config_rule.rule_id
    WHERE pair.pair_id = $pair_id AND reading.readable AND reading.hashed_by = version()
);
