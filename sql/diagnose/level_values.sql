-- How do the values of changed columns read at the levels that are due?
-- Inputs: temp level_due, changed_value, balance; date_column, and wanted_column and column_code of those as datetimes;
-- evaluation.text. Results: more rows of temp level_value, grain (pair_id, gold_index, level, parameter, partly, sign, text_id):
-- key is the value at that level, NULL when it has none. Where a share is enough, the keys whose hash falls into it:
-- the same on both sides.
-- Numbers are exact: each key is the reading size / 10^scale of a text, scaled and rounded by the macros of sql/canon.
-- Numbers that only the exact path reads (more than 18 digits, digits of other scripts) have a key when they are
-- gold's own. Case is folded as lower() of DuckDB has it; a folded text is told by 63 bits of its MD5.
-- Scaled partly: what gold has as it is stays. As in sql/score/codes.sql each step of a number has a subquery of its own.
INSERT INTO level_value
SELECT pair_id, gold_index, level, parameter, partly, sign, text_id, key, n
FROM (
    SELECT
        *,
        CASE
            WHEN scaled AND as_it_is THEN code
            WHEN form = 0 THEN canon_null()
            WHEN form = 3 OR form = 2 AND kind // 3 % 3 = 0 OR number = canon_slow() THEN NULL
            -- What rounds to nothing says nothing, unless a side is written so.
            WHEN number = 0 AND size <> 0 AND NOT scaled AND NOT on_grid THEN NULL
            WHEN size < 0 THEN -number
            ELSE number
        END AS key
    FROM (
        SELECT *, canon_number(digits, scale, length, kind) AS number
        FROM (
            SELECT
                level.*, value.sign, value.text_id, value.code, value.n, value.size,
                value.sign = 1 OR (level.partly AND value.code IS NOT NULL AND surplus.more IS NULL) AS as_it_is, abs(value.size) AS digits,
                value.length, level.level IN ('off_by_100', 'off_by_power_of_ten', 'percent_sign') AS scaled,
                value.scale + CASE WHEN value.form = 2 AND value.kind // 3 % 3 = 2 THEN 2 ELSE 0 END
                - CASE WHEN scaled THEN level.parameter ELSE 0 END AS scale,
                CASE WHEN scaled AND value.form = 2 AND value.kind // 3 % 3 = 0 THEN 1 ELSE value.form END AS form,
                CASE level.level
                    WHEN 'rounding' THEN level.parameter * 9 + value.kind // 3 % 3 * 3 + 1
                    WHEN 'rounding_significant' THEN level.parameter * 9 + value.kind // 3 % 3 * 3 + 2
                    ELSE value.kind
                END AS kind
            FROM level_due AS level
            JOIN changed_value AS value USING (pair_id, gold_index)
            LEFT JOIN (FROM balance WHERE more < 0) AS surplus
                ON surplus.pair_id = value.pair_id AND surplus.gold_index = value.gold_index AND surplus.code = value.code
            WHERE value.type = 'number'
        )
    )
)
WHERE share = 1 OR hash(coalesce(key, text_id)) % share = 0;

INSERT INTO level_value
SELECT pair_id, gold_index, level, parameter, partly, sign, text_id, key, n
FROM (
    SELECT
        level.*, value.sign, value.text_id, value.n,
        CASE
            WHEN value.code = canon_null() THEN value.code
            WHEN level.level = 'null_word' THEN CASE WHEN value.is_null THEN canon_null() ELSE value.code END
            WHEN level.level = 'number_as_text'
            THEN CASE WHEN value.form = 1 THEN diagnose_number(1, value.size, value.scale, value.length, 15 * 9 + 2) END
            ELSE
                (
                    md5_number_lower(
                        CASE level.level
                            WHEN 'letter_case' THEN lower(text.text)
                            WHEN 'white_space' THEN diagnose_closed(text.text)
                            ELSE diagnose_closed(lower(text.text))
                        END
                    ) >> 1
                )::BIGINT
        END AS key
    FROM level_due AS level
    JOIN changed_value AS value USING (pair_id, gold_index)
    LEFT JOIN evaluation.text AS text ON text.text_id = value.code
    WHERE value.type = 'text'
)
WHERE share = 1 OR hash(coalesce(key, text_id)) % share = 0;

INSERT INTO level_value
WITH moment AS (
    SELECT date_column.pair_id, date_column.gold_index, code.text_id, any_value(code.code) AS code
    FROM date_column
    JOIN wanted_column AS wanted USING (file_no, column_index)
    JOIN column_code AS code USING (column_no)
    GROUP BY ALL
)
SELECT pair_id, gold_index, level, parameter, partly, sign, text_id, key, n
FROM (
    SELECT
        level.*, value.sign, value.text_id, value.n,
        CASE
            WHEN value.type = 'date' THEN coalesce(value.code, diagnose_day(moment.code))
            WHEN level.level = 'date_and_datetime' THEN diagnose_day(value.code)
            WHEN value.code = canon_null() THEN value.code
            ELSE value.code - (value.code & 1)
        END AS key
    FROM level_due AS level
    JOIN changed_value AS value USING (pair_id, gold_index)
    LEFT JOIN moment
        ON value.sign = -1 AND moment.pair_id = value.pair_id AND moment.gold_index = value.gold_index
        AND moment.text_id = value.text_id
    WHERE value.type IN ('date', 'datetime')
)
WHERE share = 1 OR hash(coalesce(key, text_id)) % share = 0;
