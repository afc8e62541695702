-- Which columns must be read whole to see how the matched ones differ?
-- Inputs: temp shape, matched. Result: temp wanted_column, grain (column_no): each under the rule of its gold column.
CREATE OR REPLACE TEMP TABLE wanted_column AS
SELECT row_number() OVER ()::INTEGER AS column_no, 100000 AS row_limit, *
FROM (
    SELECT shape.gold_no AS file_no, matched.gold_index AS column_index, matched.rule_id
    FROM matched
    JOIN shape USING (pair_id)
    UNION
    SELECT shape.prediction_no, matched.prediction_index, matched.rule_id
    FROM matched
    JOIN shape USING (pair_id)
);
