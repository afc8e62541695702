-- Which columns do the mappings pair?
-- Inputs: temp paired, pair, config_rule; evaluation.table_row. Results: temp wanted_column, grain (column_no); temp
-- cell with their cells.
CREATE OR REPLACE TEMP TABLE wanted_column AS
SELECT row_number() OVER ()::INTEGER AS column_no, *
FROM (
    SELECT pair.gold_no AS file_no, config_rule.gold_index AS column_index, config_rule.rule_id
    FROM paired
    JOIN pair USING (pair_id)
    JOIN config_rule USING (config_id)
    UNION
    SELECT pair.prediction_no, paired.mapping[config_rule.gold_index + 1], config_rule.rule_id
    FROM paired
    JOIN pair USING (pair_id)
    JOIN config_rule USING (config_id)
);
