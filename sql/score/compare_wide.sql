-- Rows of more than eight columns: one 128-bit number for each row, made eight columns at a time.
-- Inputs: temp block, one row: number, the block of columns (0: the first eight); temp comparison, side_column,
-- column_codes; temp row_number of the blocks before. Result: temp row_number, grain (comparison_no, sign): the rows'
-- numbers in row order. md5 of the row's codes in full: to find another row with the number of a given one is out of
-- reach.
CREATE OR REPLACE TEMP TABLE row_number AS
WITH portion AS (
    SELECT
        side.comparison_no, side.sign, any_value(before.numbers) AS numbers,
        range(any_value(comparison.row_count)) AS place,
        any_value(codes.codes) FILTER (side.place % 8 = 0) AS a, any_value(codes.codes) FILTER (side.place % 8 = 1) AS b,
        any_value(codes.codes) FILTER (side.place % 8 = 2) AS c, any_value(codes.codes) FILTER (side.place % 8 = 3) AS d,
        any_value(codes.codes) FILTER (side.place % 8 = 4) AS e, any_value(codes.codes) FILTER (side.place % 8 = 5) AS f,
        any_value(codes.codes) FILTER (side.place % 8 = 6) AS g, any_value(codes.codes) FILTER (side.place % 8 = 7) AS h
    FROM side_column AS side
    JOIN comparison USING (comparison_no)
    JOIN block ON block.number = side.place // 8
    JOIN column_codes AS codes USING (file_no, column_index, rule_id)
    LEFT JOIN row_number AS before ON before.comparison_no = side.comparison_no AND before.sign = side.sign
    WHERE len(comparison.rules) > 8
    GROUP BY side.comparison_no, side.sign
), line AS (
    SELECT
        comparison_no, sign, unnest(place) AS place, unnest(numbers) AS number, unnest(a) AS a, unnest(b) AS b,
        unnest(c) AS c, unnest(d) AS d, unnest(e) AS e, unnest(f) AS f, unnest(g) AS g, unnest(h) AS h
    FROM portion
)
SELECT comparison_no, sign, list(md5(concat_ws(',', number, a, b, c, d, e, f, g, h)) ORDER BY place) AS numbers
FROM line
GROUP BY comparison_no, sign
UNION ALL
-- What has no columns in this block is done.
SELECT before.*
FROM row_number AS before
ANTI JOIN portion USING (comparison_no, sign);
