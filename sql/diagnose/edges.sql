-- How much speaks for each gold column and each prediction column to belong together?
-- Inputs: temp shape, config_rule, wanted_column, probe_value, loose_value; evaluation.table_row, table_file, rule.
-- Result: temp edge, grain (pair_id, gold_index, prediction_index): score; evident, when more than chance speaks for it.
-- Of most weight are equal values, then the same cells in any order, the same name, and values that look alike.
CREATE OR REPLACE TEMP TABLE strict_share AS
SELECT gold.pair_id, gold.gold_index, prediction.column_index AS prediction_index, sum(least(gold.n, prediction.n)) AS shared
FROM (
    SELECT shape.pair_id, shape.prediction_no, config_rule.gold_index, config_rule.rule_id, value.code, value.n
    FROM shape
    JOIN config_rule USING (config_id)
    JOIN wanted_column AS wanted
        ON wanted.file_no = shape.gold_no AND wanted.column_index = config_rule.gold_index
        AND wanted.rule_id = config_rule.rule_id
    JOIN probe_value AS value USING (column_no)
) AS gold
JOIN (
    SELECT wanted.file_no, wanted.column_index, wanted.rule_id, value.code, value.n
    FROM wanted_column AS wanted
    JOIN probe_value AS value USING (column_no)
) AS prediction
    ON prediction.file_no = gold.prediction_no AND prediction.rule_id = gold.rule_id AND prediction.code = gold.code
GROUP BY ALL;

CREATE OR REPLACE TEMP TABLE loose_share AS
SELECT
    shape.pair_id, gold.column_index AS gold_index, prediction.column_index AS prediction_index,
    sum(least(gold.n, prediction.n)) AS shared
FROM shape
JOIN loose_value AS gold ON gold.file_no = shape.gold_no
JOIN loose_value AS prediction ON prediction.file_no = shape.prediction_no AND prediction.look = gold.look
GROUP BY ALL;

-- Only where the first rows are not all: the texts of whole columns, in any order.
CREATE OR REPLACE TEMP TABLE column_print AS
SELECT file_no, column_index, sum(hash(text_id)) AS print
FROM (
    SELECT file_no, unnest(cells) AS text_id, unnest(range(len(cells)))::INTEGER AS column_index
    FROM evaluation.table_row
    WHERE file_no IN (
        SELECT unnest([gold_no, prediction_no]) FROM shape WHERE sampled < greatest(gold_rows, prediction_rows)
    )
)
GROUP BY file_no, column_index;

CREATE OR REPLACE TEMP TABLE readable_share AS
SELECT wanted.file_no, wanted.column_index, wanted.rule_id, sum(value.n) AS readable
FROM wanted_column AS wanted
JOIN probe_value AS value USING (column_no)
GROUP BY ALL;

CREATE OR REPLACE TEMP TABLE edge AS
WITH weighed AS (
    SELECT
        shape.pair_id, config_rule.gold_index, place.range::INTEGER AS prediction_index, config_rule.rule_id,
        greatest(least(shape.gold_rows, shape.prediction_rows, shape.sampled), 1) AS rows,
        1000 * coalesce(strict.shared, 0) // rows AS strict, 1000 * coalesce(loose.shared, 0) // rows AS loose,
        1000 * coalesce(readable.readable, 0) // rows AS readable,
        gold_print.print IS NOT NULL AND gold_print.print = prediction_print.print AS same_cells,
        trim(gold.header[config_rule.gold_index + 1]) <> ''
        AND lower(trim(gold.header[config_rule.gold_index + 1])) = lower(trim(prediction.header[place.range + 1])) AS same_name,
        shape.gold_width = shape.prediction_width AS as_wide
    FROM shape
    JOIN config_rule USING (config_id)
    JOIN range(64) AS place ON place.range < shape.prediction_width
    JOIN evaluation.table_file AS gold ON gold.file_no = shape.gold_no
    JOIN evaluation.table_file AS prediction ON prediction.file_no = shape.prediction_no
    LEFT JOIN strict_share AS strict
        ON strict.pair_id = shape.pair_id AND strict.gold_index = config_rule.gold_index
        AND strict.prediction_index = place.range
    LEFT JOIN loose_share AS loose
        ON loose.pair_id = shape.pair_id AND loose.gold_index = config_rule.gold_index
        AND loose.prediction_index = place.range
    LEFT JOIN readable_share AS readable
        ON readable.file_no = shape.prediction_no AND readable.column_index = place.range
        AND readable.rule_id = config_rule.rule_id
    LEFT JOIN column_print AS gold_print
        ON gold_print.file_no = shape.gold_no AND gold_print.column_index = config_rule.gold_index
    LEFT JOIN column_print AS prediction_print
        ON prediction_print.file_no = shape.prediction_no AND prediction_print.column_index = place.range
)
SELECT
    pair_id, gold_index, prediction_index, rule_id,
    same_cells OR same_name OR strict >= 200 OR loose >= 400 AS evident,
    4 * strict + 3 * loose // 2 + least(readable, 1000) // 4 + CASE WHEN same_cells THEN 3000 ELSE 0 END
    + CASE WHEN same_name THEN 1500 ELSE 0 END AS score
FROM weighed
WHERE as_wide OR same_cells OR same_name OR strict >= 200 OR loose >= 400;

CREATE OR REPLACE TEMP TABLE matched AS
SELECT pair_id, gold_index, prediction_index, rule_id, evident FROM edge LIMIT 0;
