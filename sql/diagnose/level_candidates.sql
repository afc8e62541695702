-- At which levels may changed columns be equal: scaled, rounded, without case or white space, by their day ...?
-- Inputs: temp changed_value, change; evaluation.text. Results: temp level_due, grain (pair_id, gold_index, level,
-- parameter, partly): partly, where what gold has as it is stays, for a column may be scaled in some rows; on_grid,
-- where one side has no more decimals than the level; share is one over the part of the values that is enough to find
-- out; temp level_value, empty.
-- Only levels for which something speaks: letters for case, white space for white space, words for NULL.
CREATE OR REPLACE TEMP TABLE number_span AS
SELECT
    pair_id, gold_index, any_value(mode) AS mode, any_value(digits) AS digits,
    max(length - scale) FILTER (sign = 1 AND size <> 0) - max(length - scale) FILTER (sign = -1 AND size <> 0) AS power,
    max(greatest(scale, 0)) FILTER (sign = 1) AS gold_scale, max(greatest(scale, 0)) FILTER (sign = -1) AS prediction_scale,
    bool_or(sign = -1 AND form = 2) AS percent
FROM changed_value
WHERE type = 'number'
GROUP BY pair_id, gold_index;

CREATE OR REPLACE TEMP TABLE text_span AS
SELECT
    value.pair_id, value.gold_index, bool_or(lower(text.text) <> text.text) AS cased,
    bool_or(diagnose_closed(text.text) <> text.text) AS spaced,
    bool_or(value.is_null AND value.code <> canon_null()) AS null_word,
    bool_or(value.form = 1 AND value.sign = 1) AND bool_or(value.form = 1 AND value.sign = -1) AS numeric
FROM changed_value AS value
LEFT JOIN evaluation.text AS text ON text.text_id = value.code
WHERE value.type = 'text'
GROUP BY value.pair_id, value.gold_index;

-- Datetimes are taken by their day only where one side has no time at all.
CREATE OR REPLACE TEMP TABLE datetime_span AS
SELECT
    pair_id, gold_index, bool_and(code = canon_null() OR code % 172800000000 = 0) FILTER (sign = 1) AS gold_midnight,
    bool_and(code = canon_null() OR code % 172800000000 = 0) FILTER (sign = -1) AS prediction_midnight
FROM changed_value
WHERE type = 'datetime'
GROUP BY ALL;

CREATE OR REPLACE TEMP TABLE level_due AS
WITH place AS (
    -- Fewer decimals than the rule asks for: those that gold or the prediction has, and some below the rule's.
    SELECT
        pair_id, gold_index, mode, digits AS rule_digits,
        unnest([0, gold_scale, prediction_scale, digits - 1, digits - 2, digits - 3]) AS digits
    FROM number_span
), candidate AS (
    -- A power of ten: the one between the largest numbers of gold and the prediction, and one hundred either way.
    SELECT
        pair_id, gold_index,
        CASE WHEN power = 0 THEN 'percent_sign' WHEN abs(power) = 2 THEN 'off_by_100' ELSE 'off_by_power_of_ten' END AS level,
        power AS parameter
    FROM (
        SELECT
            pair_id, gold_index,
            unnest([2, -2, CASE WHEN abs(power) BETWEEN 1 AND 18 THEN power END, CASE WHEN percent THEN 0 END]) AS power
        FROM number_span
    )
    UNION
    SELECT pair_id, gold_index, 'rounding', digits
    FROM place
    WHERE digits BETWEEN 0 AND 30
        AND CASE mode WHEN 'decimal_places' THEN digits < rule_digits WHEN 'integer' THEN digits = 0 ELSE true END
    UNION
    SELECT pair_id, gold_index, 'rounding_significant', unnest([digits - 1, digits - 2])
    FROM number_span
    WHERE mode = 'significant_digits'
    UNION ALL
    SELECT
        pair_id, gold_index,
        unnest([
            CASE WHEN cased THEN 'letter_case' END, CASE WHEN spaced THEN 'white_space' END,
            CASE WHEN cased AND spaced THEN 'case_and_space' END, CASE WHEN null_word THEN 'null_word' END,
            CASE WHEN numeric THEN 'number_as_text' END
        ]),
        0
    FROM text_span
    UNION ALL
    SELECT pair_id, gold_index, 'date_and_datetime', 0 FROM date_column
    UNION ALL
    SELECT pair_id, gold_index, 'date_and_datetime', 0
    FROM datetime_span
    WHERE gold_midnight <> prediction_midnight
    UNION ALL
    SELECT pair_id, gold_index, 'time_zone', 0 FROM datetime_span
), size AS (
    SELECT pair_id, gold_index, count(*) AS n FROM pair_value GROUP BY ALL
), possible AS (
    SELECT
        candidate.*, unnest(CASE WHEN starts_with(candidate.level, 'off_by') THEN [false, true] ELSE [false] END) AS partly,
        candidate.level = 'rounding' AND candidate.parameter >= least(span.gold_scale, span.prediction_scale) AS on_grid,
        1 + size.n // 20000 AS share, span.power, span.digits
    FROM candidate
    JOIN size USING (pair_id, gold_index)
    LEFT JOIN number_span AS span USING (pair_id, gold_index)
)
SELECT pair_id, gold_index, level, parameter, partly, coalesce(on_grid, false) AS on_grid, share
FROM possible
WHERE level IS NOT NULL AND parameter IS NOT NULL AND (level <> 'rounding_significant' OR parameter > 0)
    -- Of many values only the likely levels, for each costs time.
    AND (
        share = 1
        OR CASE
            WHEN starts_with(level, 'off_by') THEN parameter = power OR power = 0 AND partly
            WHEN starts_with(level, 'rounding') THEN on_grid OR parameter = digits - 1
            ELSE true
        END
    );

CREATE OR REPLACE TEMP TABLE level_value (
    pair_id INTEGER, gold_index INTEGER, level VARCHAR, parameter INTEGER, partly BOOLEAN, sign INTEGER, text_id INTEGER,
    key BIGINT, n BIGINT
);
