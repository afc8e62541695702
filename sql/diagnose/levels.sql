-- Which changed columns are equal, or nearly, at one of the levels?
-- Inputs: temp level_value, change, changed_value. Results: temp level, grain (pair_id, gold_index, level): the best
-- parameter of each level that brings back at least half of the changed values; temp repaired, grain (pair_id,
-- gold_index): the level at which a column has no changed value left.
-- A level at which gold's values run together, half of them or more, says nothing.
CREATE OR REPLACE TEMP TABLE level AS
WITH balance AS (
    SELECT
        pair_id, gold_index, level, parameter, key, coalesce(sum(n) FILTER (sign = 1), 0) AS gold_n,
        coalesce(sum(n) FILTER (sign = -1), 0) AS prediction_n
    FROM level_value
    GROUP BY ALL
), total AS (
    SELECT
        pair_id, gold_index, level, parameter,
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
    FROM changed_value
    WHERE sign = 1
    GROUP BY ALL
), best AS (
    SELECT
        total.pair_id, total.gold_index, total.level, total.parameter, total.remaining,
        change.changed - total.remaining AS repaired, change.prediction_index, change.mode, change.digits, change.changed
    FROM total
    JOIN change USING (pair_id, gold_index)
    JOIN strict USING (pair_id, gold_index)
    WHERE (change.changed - total.remaining) * 2 >= change.changed
        AND (total.level IN ('date_and_datetime', 'null_word') OR total.kinds * 2 > strict.kinds)
    QUALIFY row_number() OVER (
        PARTITION BY total.pair_id, total.gold_index, total.level ORDER BY total.remaining, total.parameter DESC
    ) = 1
)
SELECT *
FROM best
-- Both foldings together only where one alone leaves more.
WHERE level <> 'case_and_space'
    OR remaining < coalesce(
        (
            SELECT min(one.remaining)
            FROM best AS one
            WHERE one.pair_id = best.pair_id AND one.gold_index = best.gold_index
                AND one.level IN ('letter_case', 'white_space')
        ),
        best.changed
    );

CREATE OR REPLACE TEMP TABLE repaired AS
SELECT pair_id, gold_index, level, parameter
FROM level
WHERE remaining = 0
QUALIFY row_number() OVER (PARTITION BY pair_id, gold_index ORDER BY level) = 1;
