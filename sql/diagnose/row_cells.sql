-- What stands in the cells of chosen rows, side by side, and is it equal?
-- Inputs: chosen, grain (place): gold_row and prediction_row, -1 for none; temp pair_column, matched_code;
-- evaluation.text. Grain: (place, gold_index) of the matched columns: the texts, and whether the cells are equal and
-- the prediction's readable.
WITH cell AS (
    SELECT
        chosen.place, pair_column.gold_index, pair_column.sign, text.text[:1000] AS text, code.code
    FROM chosen
    CROSS JOIN pair_column
    JOIN matched_code AS code
        ON code.column_no = pair_column.column_no
        AND code.row = CASE pair_column.sign WHEN 1 THEN chosen.gold_row ELSE chosen.prediction_row END
    JOIN evaluation.text AS text ON text.text_id = code.text_id
)
SELECT
    place, gold_index, any_value(text) FILTER (sign = 1), any_value(text) FILTER (sign = -1),
    coalesce(any_value(code) FILTER (sign = 1) = any_value(code) FILTER (sign = -1), false),
    coalesce(bool_and(code IS NOT NULL) FILTER (sign = -1), false)
FROM cell
GROUP BY place, gold_index
ORDER BY place, gold_index;
