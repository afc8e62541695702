-- Of the pairs with a column mapping, which have equal rows?
-- Inputs: temp paired, pair, config_rule, column_codes. Up to eight columns: wider pairs are in compare_wide.
-- Result: temp unequal, grain (pair_id). Rows are compared by their codes themselves, not by hashes: as a signed
-- multiset, in which each row of gold counts one and each row of the prediction minus one; with its place, when order
-- matters.
CREATE OR REPLACE TEMP TABLE unequal AS
WITH side AS (
    SELECT
        paired.pair_id, side.sign, CASE WHEN pair.ordered THEN range(pair.row_count) END AS place,
        any_value(codes.codes) FILTER (config_rule.gold_index = 0) AS a,
        any_value(codes.codes) FILTER (config_rule.gold_index = 1) AS b,
        any_value(codes.codes) FILTER (config_rule.gold_index = 2) AS c,
        any_value(codes.codes) FILTER (config_rule.gold_index = 3) AS d,
        any_value(codes.codes) FILTER (config_rule.gold_index = 4) AS e,
        any_value(codes.codes) FILTER (config_rule.gold_index = 5) AS f,
        any_value(codes.codes) FILTER (config_rule.gold_index = 6) AS g,
        any_value(codes.codes) FILTER (config_rule.gold_index = 7) AS h
    FROM paired
    JOIN pair USING (pair_id)
    JOIN config_rule USING (config_id)
    CROSS JOIN (VALUES (1), (-1)) AS side (sign)
    JOIN column_codes AS codes
        ON codes.rule_id = config_rule.rule_id
        AND codes.file_no = CASE side.sign WHEN 1 THEN pair.gold_no ELSE pair.prediction_no END
        AND codes.column_index
            = CASE side.sign WHEN 1 THEN config_rule.gold_index ELSE paired.mapping[config_rule.gold_index + 1] END
    WHERE pair.width <= 8
    GROUP BY paired.pair_id, pair.ordered, pair.row_count, side.sign
), line AS (
    SELECT
        pair_id, sign, unnest(place) AS place,
        unnest(a) AS a, unnest(b) AS b, unnest(c) AS c, unnest(d) AS d,
        unnest(e) AS e, unnest(f) AS f, unnest(g) AS g, unnest(h) AS h
    FROM side
)
SELECT DISTINCT pair_id
FROM (
    SELECT pair_id
    FROM line
    GROUP BY pair_id, place, a, b, c, d, e, f, g, h
    HAVING sum(sign) <> 0
);
