-- Which prediction columns can stand for which gold columns?
-- Inputs: temp pair, config_rule; evaluation.column_reading.
-- Result: temp graph, grain (pair_id): for each gold column two bit sets of prediction columns, those readable under
-- its rule and those with its fingerprint besides.
CREATE OR REPLACE TEMP TABLE graph AS
WITH known AS (
    SELECT * FROM evaluation.column_reading WHERE hashed_by = version()
), edge AS (
    SELECT
        pair.pair_id, config_rule.gold_index,
        bit_or(CASE WHEN prediction.readable THEN 1::UBIGINT << prediction.column_index ELSE 0 END) AS readable,
        bit_or(
            CASE
                WHEN prediction.readable
                    AND CASE WHEN pair.ordered THEN prediction.sequence_hash = gold.sequence_hash ELSE prediction.values_hash = gold.values_hash END
                THEN 1::UBIGINT << prediction.column_index
                ELSE 0
            END
        ) AS candidates
    FROM pair
    JOIN config_rule USING (config_id)
    JOIN known AS gold
        ON gold.file_no = pair.gold_no AND gold.column_index = config_rule.gold_index
        AND gold.rule_id = config_rule.rule_id
    JOIN known AS prediction ON prediction.file_no = pair.prediction_no AND prediction.rule_id = config_rule.rule_id
    WHERE pair.comparable AND prediction.column_index < pair.width
    GROUP BY pair.pair_id, config_rule.gold_index
)
SELECT
    pair_id, list(readable ORDER BY gold_index) AS readable, list(candidates ORDER BY gold_index) AS candidates
FROM edge
GROUP BY pair_id;
