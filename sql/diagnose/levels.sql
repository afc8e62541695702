-- Which changed columns are equal, or nearly, at one of the levels?
-- Inputs: temp level_due, level_value, change, pair_value. Result: temp level, grain (pair_id, gold_index, level): the best
-- parameter of each level that brings back at least half of the changed values.
-- A level at which gold's values run together, half of them or more, says nothing, unless a side is written so.
CREATE OR REPLACE TEMP TABLE level AS
WITH balance AS (
    SELECT
        pair_id, gold_index, level, parameter, partly, key, coalesce(sum(n) FILTER (sign = 1), 0) AS gold_n,
        coalesce(sum(n) FILTER (sign = -1), 0) AS prediction_n
    FROM level_value
    GROUP BY ALL
), total AS (
    SELECT
        pair_id, gold_index, level, parameter, partly,
        -- What has no key at this level has no counterpart.
        least(
            sum(CASE WHEN key IS NULL THEN gold_n ELSE greatest(gold_n - prediction_n, 0) END),
            sum(CASE WHEN key IS NULL THEN prediction_n ELSE greatest(prediction_n - gold_n, 0) END)
        ) AS remaining,
        count(*) FILTER (gold_n > 0 AND key IS NOT NULL) AS kinds
    FROM balance
    GROUP BY ALL
), strict AS (
    SELECT pair_id, gold_index, count(DISTINCT code) AS kinds
    FROM pair_value
    SEMI JOIN level_due USING (pair_id, gold_index)
    WHERE sign = 1
    GROUP BY ALL
), best AS (
    SELECT
        due.pair_id, due.gold_index, due.level, due.parameter, due.partly, due.on_grid, due.share,
        coalesce(total.remaining, 0) * due.share AS remaining, change.changed - remaining AS repaired,
        change.prediction_index, change.mode, change.digits, change.changed
    FROM level_due AS due
    JOIN change USING (pair_id, gold_index)
    JOIN strict USING (pair_id, gold_index)
    LEFT JOIN total USING (pair_id, gold_index, level, parameter, partly)
    WHERE repaired * 2 >= change.changed
        AND (
            due.level IN ('date_and_datetime', 'null_word') OR due.on_grid
            OR coalesce(total.kinds, 0) * due.share * 2 > strict.kinds
        )
    QUALIFY row_number() OVER (
        PARTITION BY due.pair_id, due.gold_index, replace(due.level, '_significant', '')
        ORDER BY remaining, due.partly, due.level DESC, due.parameter DESC
    ) = 1
)
SELECT best.*
FROM best
LEFT JOIN (
    SELECT pair_id, gold_index, min(remaining) AS remaining
    FROM best
    WHERE level IN ('letter_case', 'white_space')
    GROUP BY ALL
) AS one USING (pair_id, gold_index)
-- Both foldings together only where one alone leaves more.
WHERE best.level <> 'case_and_space' OR best.remaining < coalesce(one.remaining, best.changed);
