-- Keep what the comparisons have found. Of the pairs with a column mapping, which have unequal rows?
-- Inputs: temp comparison, differing, side. Results: new rows of evaluation.comparison; temp unequal, grain (pair_id).
INSERT INTO evaluation.comparison
SELECT gold_no, gold_reading, prediction_no, prediction_reading, comparison_no NOT IN (SELECT comparison_no FROM differing)
FROM comparison;

CREATE OR REPLACE TEMP TABLE unequal AS
SELECT side.pair_id
FROM side
JOIN evaluation.comparison AS known USING (gold_no, gold_reading, prediction_no, prediction_reading)
WHERE NOT known.equal;
