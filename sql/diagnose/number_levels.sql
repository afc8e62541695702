-- How do the values of changed number columns read when scaled or rounded?
-- Inputs: temp changed_value. Results: more rows of temp level_value, grain (pair_id, gold_index, level, parameter,
-- sign, text_id): key is the value at that level, NULL when it has none.
-- Exact: each key is the reading size / 10^scale of a text, scaled and rounded by the macros of sql/canon. Numbers that
-- only the exact path reads (more than 18 digits, digits of other scripts) have no key, unless they are gold's own.
CREATE OR REPLACE TEMP TABLE number_span AS
SELECT
    pair_id, gold_index, kind, any_value(mode) AS mode, any_value(digits) AS digits,
    max(length - scale) FILTER (sign = 1 AND size <> 0) - max(length - scale) FILTER (sign = -1 AND size <> 0) AS power,
    max(greatest(scale, 0)) FILTER (sign = 1) AS gold_scale, max(greatest(scale, 0)) FILTER (sign = -1) AS prediction_scale,
    bool_or(sign = -1 AND number_form = 2) AS percent
FROM changed_value
WHERE type = 'number'
GROUP BY pair_id, gold_index, kind;

-- A power of ten between gold and the prediction: the one between their largest numbers, and one hundred either way.
INSERT INTO level_value
WITH level AS (
    SELECT DISTINCT
        pair_id, gold_index,
        CASE WHEN power = 0 THEN 'percent_sign' WHEN abs(power) = 2 THEN 'off_by_100' ELSE 'off_by_power_of_ten' END AS level,
        power
    FROM (
        SELECT
            pair_id, gold_index,
            unnest([2, -2, CASE WHEN abs(power) BETWEEN 1 AND 18 THEN power END, CASE WHEN percent THEN 0 END]) AS power
        FROM number_span
    )
    WHERE power IS NOT NULL
)
SELECT
    value.pair_id, value.gold_index, level.level, level.power, value.sign, value.text_id,
    CASE
        WHEN value.sign = 1 THEN value.code
        ELSE
            nullif(
                canon_number(
                    CASE WHEN value.number_form = 2 AND value.kind // 3 % 3 = 0 THEN 1 ELSE value.number_form END,
                    value.size, value.scale - level.power, value.length, value.kind
                ),
                canon_slow()
            )
    END,
    value.n, value.first_row
FROM level
JOIN changed_value AS value USING (pair_id, gold_index);

-- Fewer digits than the rule asks for: those that gold or the prediction has, and some below the rule's.
INSERT INTO level_value
WITH place AS (
    SELECT DISTINCT
        pair_id, gold_index, digits AS rule_digits, mode,
        unnest([0, gold_scale, prediction_scale, digits - 1, digits - 2, digits - 3]) AS places
    FROM number_span
    WHERE mode = 'decimal_places'
    UNION
    SELECT pair_id, gold_index, digits, mode, unnest([0, gold_scale, prediction_scale]) FROM number_span
), level AS (
    SELECT pair_id, gold_index, 'rounding' AS level, places AS digits, 1 AS mode
    FROM place
    WHERE places BETWEEN 0 AND 30
        AND CASE mode WHEN 'decimal_places' THEN places < rule_digits WHEN 'integer' THEN places = 0 ELSE true END
    UNION ALL
    SELECT pair_id, gold_index, 'rounding_significant', unnest([digits - 1, digits - 2]), 2
    FROM number_span
    WHERE mode = 'significant_digits'
)
SELECT
    value.pair_id, value.gold_index, level.level, level.digits, value.sign, value.text_id,
    -- What rounds to nothing says nothing.
    CASE
        WHEN value.size = 0 THEN 0
        ELSE
            nullif(
                nullif(
                    canon_number(
                        value.number_form, value.size, value.scale, value.length,
                        level.digits * 9 + value.kind // 3 % 3 * 3 + level.mode
                    ),
                    canon_slow()
                ),
                0
            )
    END,
    value.n, value.first_row
FROM level
JOIN changed_value AS value USING (pair_id, gold_index)
WHERE level.digits > 0 OR level.mode = 1;
