-- Which gold column cannot be read under its own rule, the first of all?
-- Inputs: temp pair, config_rule; evaluation.column_reading. Result: temp wanted_column, at most one row, with its pair.
CREATE OR REPLACE TEMP TABLE wanted_column AS
SELECT 1 AS column_no, 100000 AS row_limit, pair.gold_no AS file_no, config_rule.gold_index AS column_index, config_rule.rule_id, pair.pair_id
FROM pair
JOIN config_rule USING (config_id)
JOIN evaluation.column_reading AS reading
    ON reading.file_no = pair.gold_no AND reading.column_index = config_rule.gold_index
    AND reading.rule_id = config_rule.rule_id
WHERE NOT reading.readable
ORDER BY pair.pair_id, config_rule.gold_index
LIMIT 1;
