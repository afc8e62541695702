-- The verdict on each pair, by the evaluator's order of checks (evaluator.md, Order of checks, and error codes).
-- Inputs: temp pair, outcome, graph. Result: temp new_verdict, grain (pair_id). The mapping is set on a pass only.
CREATE OR REPLACE TEMP TABLE new_verdict AS
WITH coded AS (
    SELECT
        pair.*, outcome.mapping, coalesce(outcome.equal, false) AS passed, coalesce(outcome.undecided, false) AS undecided,
        graph.readable,
        CASE
            WHEN pair.missing THEN 'missing_prediction'
            WHEN pair.problem IS NOT NULL THEN 'invalid_prediction_csv'
            WHEN pair.prediction_width <> pair.width THEN 'column_count_mismatch'
            WHEN pair.prediction_rows <> pair.row_count THEN 'row_count_mismatch'
            WHEN NOT outcome.readable THEN 'type_normalization_failed'
            WHEN NOT outcome.equal THEN 'relation_mismatch'
        END AS error_code
    FROM pair
    LEFT JOIN outcome USING (pair_id)
    LEFT JOIN graph USING (pair_id)
)
SELECT
    pair_id, passed, error_code,
    CASE error_code
        WHEN 'missing_prediction' THEN 'there is no prediction file'
        WHEN 'invalid_prediction_csv' THEN problem
        WHEN 'column_count_mismatch'
        THEN format('the prediction has {} columns, gold has {}', prediction_width, width)
        WHEN 'row_count_mismatch' THEN format('the prediction has {} rows, gold has {}', prediction_rows, row_count)
        WHEN 'type_normalization_failed' THEN
            CASE
                WHEN list_contains(readable, 0)
                THEN format('no prediction column can be read as gold column {}', list_position(readable, 0) - 1)
                ELSE 'no one-to-one mapping of columns can be read under the configured types'
            END
        WHEN 'relation_mismatch' THEN
            CASE
                WHEN undecided THEN 'the search for a column mapping stopped at its bound; the task counts as wrong'
                WHEN ordered THEN 'no mapping of columns makes the sequence of rows equal'
                ELSE 'no mapping of columns makes the multiset of rows equal'
            END
    END AS message,
    mapping AS column_mapping, row_count AS gold_row_count, coalesce(prediction_rows, 0) AS prediction_row_count,
    width AS gold_column_count, coalesce(prediction_width, 0) AS prediction_column_count, undecided
FROM coded;
