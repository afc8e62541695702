-- Which comparisons of up to eight columns find a difference?
-- Inputs: temp comparison, side_column, column_codes. Result: temp differing, grain (comparison_no).
-- Rows are compared by their codes themselves, not by hashes: as a signed multiset, in which each row of gold counts one
-- and each row of the prediction minus one; with its place, when order matters.
CREATE OR REPLACE TEMP TABLE differing AS
WITH portion AS (
    SELECT
        side.comparison_no, side.sign,
        CASE WHEN any_value(comparison.ordered) THEN range(any_value(comparison.row_count)) END AS place,
        any_value(codes.codes) FILTER (side.place = 0) AS a, any_value(codes.codes) FILTER (side.place = 1) AS b,
        any_value(codes.codes) FILTER (side.place = 2) AS c, any_value(codes.codes) FILTER (side.place = 3) AS d,
        any_value(codes.codes) FILTER (side.place = 4) AS e, any_value(codes.codes) FILTER (side.place = 5) AS f,
        any_value(codes.codes) FILTER (side.place = 6) AS g, any_value(codes.codes) FILTER (side.place = 7) AS h
    FROM side_column AS side
    JOIN comparison USING (comparison_no)
    JOIN column_codes AS codes USING (file_no, column_index, rule_id)
    WHERE len(comparison.rules) <= 8
    GROUP BY side.comparison_no, side.sign
), line AS (
    SELECT
        comparison_no, sign, unnest(place) AS place, unnest(a) AS a, unnest(b) AS b, unnest(c) AS c, unnest(d) AS d,
        unnest(e) AS e, unnest(f) AS f, unnest(g) AS g, unnest(h) AS h
    FROM portion
)
SELECT DISTINCT comparison_no
FROM (
    SELECT comparison_no
    FROM line
    GROUP BY comparison_no, place, a, b, c, d, e, f, g, h
    HAVING sum(sign) <> 0
);
