-- Which levels have been found on a share of the values, so that their numbers are still to be counted?
-- Inputs: temp level. Results: temp level_due with those, the best of each column, on all values; temp level_value
-- without them; temp level_settled, the other rows of level.
CREATE OR REPLACE TEMP TABLE level_settled AS SELECT * FROM level WHERE share = 1;

CREATE OR REPLACE TEMP TABLE level_value AS
SELECT * FROM level_value SEMI JOIN level_settled USING (pair_id, gold_index);

CREATE OR REPLACE TEMP TABLE level_due AS
SELECT pair_id, gold_index, level, parameter, partly, on_grid, 1 AS share
FROM level
WHERE share > 1
QUALIFY row_number() OVER (PARTITION BY pair_id, gold_index ORDER BY remaining, level) = 1;
