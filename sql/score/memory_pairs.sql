-- The rules and due pairs of a run without a lake.
-- Inputs: new_rule, new_config_rule, new_due. Results: evaluation.rule, temp config_rule, temp due.
INSERT INTO evaluation.rule
SELECT rule_id, type, nullif(mode, ''), nullif(digits, -1), unit, allow_percent_sign::BOOLEAN FROM new_rule;

CREATE OR REPLACE TEMP TABLE config_rule AS SELECT * FROM new_config_rule;

CREATE OR REPLACE TEMP TABLE due AS
SELECT pair_id, config_id, ordered::BOOLEAN AS ordered, gold_file, prediction_file, nullif(problem, '') AS problem
FROM new_due;
