-- At which level has a changed column no changed value left?
-- Inputs: temp level. Result: temp repaired, grain (pair_id, gold_index).
CREATE OR REPLACE TEMP TABLE repaired AS
SELECT pair_id, gold_index, level, parameter, partly
FROM level
WHERE remaining = 0
QUALIFY row_number() OVER (PARTITION BY pair_id, gold_index ORDER BY level) = 1;
