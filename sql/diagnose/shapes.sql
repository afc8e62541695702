-- Which failed pairs have two tables to look at, how large are they, and how much of them tells columns apart?
-- Inputs: temp pair, config_rule (see sql/score); temp failed, grain (pair_id).
-- Results: temp shape, grain (pair_id): sampled is the number of first rows by which columns are paired, so bounded
-- that reading each prediction column under each rule, and joining all columns with all, stay small; temp symptom.
CREATE OR REPLACE TEMP TABLE shape AS
SELECT
    pair.pair_id, pair.config_id, pair.ordered, pair.gold_no, pair.prediction_no, pair.width AS gold_width,
    pair.row_count AS gold_rows, pair.prediction_width, pair.prediction_rows,
    least(
        greatest(pair.row_count, pair.prediction_rows),
        4000000 // (pair.width + pair.prediction_width * rules.n) + 1,
        16000000 // (pair.width * pair.prediction_width) + 1
    )::INTEGER AS sampled
FROM pair
JOIN failed USING (pair_id)
JOIN (SELECT config_id, count(DISTINCT rule_id) AS n FROM config_rule GROUP BY config_id) AS rules USING (config_id)
WHERE NOT pair.missing AND pair.problem IS NULL AND pair.prediction_width IS NOT NULL;

CREATE OR REPLACE TEMP TABLE symptom (
    pair_id INTEGER, code VARCHAR, gold_column INTEGER, prediction_column INTEGER, row_count BIGINT, examples VARCHAR[],
    sentence VARCHAR
);
