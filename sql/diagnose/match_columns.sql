-- Which columns are each other's best, of those that are left?
-- Inputs: temp edge. Results: more rows of temp matched, grain (pair_id, gold_index); fewer of temp edge.
-- One round: the best edge of a pair is always one of them, so that every round gets nearer to the end.
CREATE OR REPLACE TEMP TABLE best_edge AS
SELECT pair_id, gold_index, prediction_index, rule_id, evident
FROM edge
QUALIFY row_number() OVER (
        PARTITION BY pair_id, gold_index ORDER BY score DESC, abs(gold_index - prediction_index), prediction_index
    ) = 1
    AND row_number() OVER (
        PARTITION BY pair_id, prediction_index ORDER BY score DESC, abs(gold_index - prediction_index), gold_index
    ) = 1;

INSERT INTO matched SELECT * FROM best_edge;

CREATE OR REPLACE TEMP TABLE edge AS
SELECT edge.*
FROM edge
ANTI JOIN best_edge AS by_gold USING (pair_id, gold_index)
ANTI JOIN best_edge AS by_prediction USING (pair_id, prediction_index);
