-- Rows of more than eight columns: one 128-bit number for each row, made eight columns at a time.
-- Inputs: $part, the block of columns (0: the first eight); temp paired, pair, config_rule, column_codes; temp
-- row_class of the blocks before. Result: temp row_class, grain (pair_id, sign): the rows' numbers in row order.
-- md5 of the row's codes in full: a second row with the number of a given one is out of reach.
CREATE OR REPLACE TEMP TABLE row_class AS
WITH side AS (
    SELECT
        paired.pair_id, side.sign, any_value(before.classes) AS classes, range(any_value(pair.row_count)) AS place,
        any_value(codes.codes) FILTER (config_rule.gold_index % 8 = 0) AS a,
        any_value(codes.codes) FILTER (config_rule.gold_index % 8 = 1) AS b,
        any_value(codes.codes) FILTER (config_rule.gold_index % 8 = 2) AS c,
        any_value(codes.codes) FILTER (config_rule.gold_index % 8 = 3) AS d,
        any_value(codes.codes) FILTER (config_rule.gold_index % 8 = 4) AS e,
        any_value(codes.codes) FILTER (config_rule.gold_index % 8 = 5) AS f,
        any_value(codes.codes) FILTER (config_rule.gold_index % 8 = 6) AS g,
        any_value(codes.codes) FILTER (config_rule.gold_index % 8 = 7) AS h
    FROM paired
    JOIN pair USING (pair_id)
    JOIN config_rule USING (config_id)
    CROSS JOIN (VALUES (1), (-1)) AS side (sign)
    JOIN column_codes AS codes
        ON codes.rule_id = config_rule.rule_id
        AND codes.file_no = CASE side.sign WHEN 1 THEN pair.gold_no ELSE pair.prediction_no END
        AND codes.column_index
            = CASE side.sign WHEN 1 THEN config_rule.gold_index ELSE paired.mapping[config_rule.gold_index + 1] END
    LEFT JOIN row_class AS before ON before.pair_id = paired.pair_id AND before.sign = side.sign
    WHERE pair.width > 8 AND (config_rule.gold_index // 8 = $part)
    GROUP BY paired.pair_id, side.sign
), line AS (
    SELECT
        pair_id, sign, unnest(place) AS place, unnest(classes) AS class, unnest(a) AS a, unnest(b) AS b,
        unnest(c) AS c, unnest(d) AS d, unnest(e) AS e, unnest(f) AS f, unnest(g) AS g, unnest(h) AS h
    FROM side
)
SELECT pair_id, sign, list(md5_number(concat_ws(',', class, a, b, c, d, e, f, g, h)) ORDER BY place) AS classes
FROM line
GROUP BY pair_id, sign
UNION ALL
-- Pairs that have no columns in this block are done.
SELECT before.*
FROM row_class AS before
ANTI JOIN side USING (pair_id, sign);
