-- How do the values of changed date and datetime columns read by their day, or without their time zone?
-- Inputs: temp changed_value, date_column, wanted_column and column_code of the date columns as datetimes.
-- Results: more rows of temp level_value (see number_levels).
INSERT INTO level_value
WITH moment AS (
    SELECT date_column.pair_id, date_column.gold_index, code.text_id, any_value(code.code) AS code
    FROM date_column
    JOIN wanted_column AS wanted USING (file_no, column_index)
    JOIN column_code AS code USING (column_no)
    GROUP BY ALL
)
SELECT
    value.pair_id, value.gold_index, 'date_and_datetime', 0, value.sign, value.text_id,
    coalesce(value.code, diagnose_day(moment.code)), value.n, value.first_row
FROM changed_value AS value
LEFT JOIN moment
    ON value.sign = -1 AND moment.pair_id = value.pair_id AND moment.gold_index = value.gold_index
    AND moment.text_id = value.text_id
WHERE value.type = 'date';

-- Datetimes are taken by their day only where one side has no time at all.
INSERT INTO level_value
WITH side AS (
    SELECT pair_id, gold_index, sign, bool_and(code = canon_null() OR code % 172800000000 = 0) AS midnight
    FROM changed_value
    WHERE type = 'datetime'
    GROUP BY ALL
)
SELECT
    pair_id, gold_index, 'date_and_datetime', 0, value.sign, value.text_id, diagnose_day(value.code), value.n,
    value.first_row
FROM changed_value AS value
JOIN (
    SELECT pair_id, gold_index
    FROM side
    GROUP BY ALL
    HAVING bool_or(midnight) AND NOT bool_and(midnight)
) USING (pair_id, gold_index)
UNION ALL
SELECT
    pair_id, gold_index, 'time_zone', 0, sign, text_id,
    CASE WHEN code = canon_null() THEN code ELSE code - (code & 1) END, n, first_row
FROM changed_value
WHERE type = 'datetime';
