-- Which columns do the mappings pair, and which of them have not been read just now?
-- Inputs: temp paired, pair, config_rule, read_column. Results: temp paired_column, grain (file_no, column_index,
-- rule_id); temp wanted_column, grain (column_no), with those whose values are not in temp read_code.
CREATE OR REPLACE TEMP TABLE paired_column AS
SELECT pair.gold_no AS file_no, config_rule.gold_index AS column_index, config_rule.rule_id
FROM paired
JOIN pair USING (pair_id)
JOIN config_rule USING (config_id)
UNION
SELECT pair.prediction_no, paired.mapping[config_rule.gold_index + 1], config_rule.rule_id
FROM paired
JOIN pair USING (pair_id)
JOIN config_rule USING (config_id);

CREATE OR REPLACE TEMP TABLE wanted_column AS
SELECT row_number() OVER ()::INTEGER AS column_no, 100000 AS row_limit, file_no, column_index, rule_id
FROM paired_column
ANTI JOIN read_column USING (file_no, column_index, rule_id);
