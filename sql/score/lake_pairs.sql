-- The pairs of one batch of missing verdicts, as the queries of this folder want them.
-- Inputs: temp batch, grain (pair_id): gold_file, config_digest, prediction_file; evaluation.config, config_column.
-- Results: new rows of evaluation.rule; temp config_rule, grain (config_id, gold_index); temp due, grain (pair_id).
CREATE OR REPLACE TEMP TABLE batch_config AS
SELECT row_number() OVER ()::INTEGER AS config_id, *
FROM (
    SELECT digest AS config_digest, any_value(task) AS task, any_value(version) AS version,
        any_value(order_sensitive) AS ordered
    FROM evaluation.config
    WHERE digest IN (SELECT config_digest FROM batch)
    GROUP BY digest
);

CREATE OR REPLACE TEMP TABLE batch_rule AS
SELECT
    batch_config.config_id, config_column.gold_index, config_column.type, config_column.mode, config_column.digits,
    config_column.unit, config_column.allow_percent_sign
FROM batch_config
JOIN evaluation.config_column USING (task, version);

INSERT INTO evaluation.rule
SELECT (SELECT coalesce(max(rule_id), 0) FROM evaluation.rule) + row_number() OVER (ORDER BY type, mode, digits, unit, allow_percent_sign), *
FROM (
    SELECT DISTINCT type, mode, digits, unit, allow_percent_sign FROM batch_rule
    EXCEPT
    SELECT type, mode, digits, unit, allow_percent_sign FROM evaluation.rule
);

CREATE OR REPLACE TEMP TABLE config_rule AS
SELECT batch_rule.config_id, batch_rule.gold_index, rule.rule_id
FROM batch_rule
JOIN evaluation.rule AS rule
    ON rule.type = batch_rule.type AND rule.mode IS NOT DISTINCT FROM batch_rule.mode
    AND rule.digits IS NOT DISTINCT FROM batch_rule.digits AND rule.unit = batch_rule.unit
    AND rule.allow_percent_sign = batch_rule.allow_percent_sign;

CREATE OR REPLACE TEMP TABLE due AS
SELECT
    batch.pair_id, batch_config.config_id, batch_config.ordered, batch.gold_file, batch.prediction_file,
    CASE batch.prediction_file WHEN 'unusable' THEN 'the file could not be taken' END AS problem
FROM batch
JOIN batch_config USING (config_digest);
