-- Which whole rows have no counterpart, as far as the columns that agree can tell?
-- Inputs: temp shape, change, repaired, level_value, pair_column, matched_code.
-- Results: temp basis, grain (pair_id, gold_index): the columns by which rows are told apart, which are those whose
-- values agree, or agree at a level (then by that), or else all; temp line, grain (pair_id, sign, row); temp
-- line_count, grain (pair_id, line); temp row_change, grain (pair_id).
-- A row is told by the sum of the hashes of its values: this finds what to say of a failed task, and decides no verdict.
CREATE OR REPLACE TEMP TABLE basis AS
WITH agreeing AS (
    SELECT change.pair_id, change.gold_index, repaired.level, repaired.parameter, repaired.partly, true AS agrees
    FROM change
    LEFT JOIN repaired USING (pair_id, gold_index)
    WHERE change.changed = 0 OR repaired.level IS NOT NULL
)
SELECT * FROM agreeing
UNION ALL
SELECT pair_id, gold_index, NULL, NULL, NULL, false FROM change ANTI JOIN agreeing USING (pair_id);

CREATE OR REPLACE TEMP TABLE line AS
SELECT pair_id, sign, row, sum(hash(gold_index, key)) AS line
FROM (
    SELECT basis.pair_id, basis.gold_index, pair_column.sign, code.row, code.code AS key
    FROM basis
    JOIN pair_column USING (pair_id, gold_index)
    JOIN matched_code AS code USING (column_no)
    WHERE basis.level IS NULL
    UNION ALL
    SELECT basis.pair_id, basis.gold_index, pair_column.sign, code.row, value.key
    FROM basis
    JOIN pair_column USING (pair_id, gold_index)
    JOIN matched_code AS code USING (column_no)
    JOIN level_value AS value
        ON value.pair_id = basis.pair_id AND value.gold_index = basis.gold_index AND value.level = basis.level
        AND value.parameter = basis.parameter AND value.partly = basis.partly AND value.sign = pair_column.sign AND value.text_id = code.text_id
)
GROUP BY pair_id, sign, row;

CREATE OR REPLACE TEMP TABLE line_count AS
SELECT
    pair_id, line, count(*) FILTER (sign = 1) AS gold_n, count(*) FILTER (sign = -1) AS prediction_n,
    min(row) FILTER (sign = 1) AS gold_row, min(row) FILTER (sign = -1) AS prediction_row
FROM line
GROUP BY pair_id, line;

-- lost and added count rows that the other side has too, but less often. Where only some of gold's columns tell rows
-- apart, that proves nothing, and they count as missing and extra. Missing and extra rows of agreeing columns are one
-- kind of thing: values that are all there, put together otherwise.
CREATE OR REPLACE TEMP TABLE row_change AS
WITH total AS (
    SELECT
        pair_id, sum(greatest(gold_n - prediction_n, 0)) AS lacking, sum(greatest(prediction_n - gold_n, 0)) AS surplus,
        sum(greatest(gold_n - prediction_n, 0)) FILTER (prediction_n > 0) AS lost,
        sum(greatest(prediction_n - gold_n, 0)) FILTER (gold_n > 0) AS added, sum(least(gold_n, prediction_n)) AS common
    FROM line_count
    GROUP BY pair_id
), told AS (
    SELECT pair_id, bool_and(agrees) AS agrees, count(*) AS columns, list(gold_index ORDER BY gold_index) AS gold_columns
    FROM basis
    GROUP BY pair_id
), counted AS (
    SELECT
        shape.pair_id, coalesce(told.agrees, false) AS agrees, coalesce(told.columns, 0) AS columns, told.gold_columns,
        shape.gold_width, shape.prediction_width, shape.gold_rows, shape.prediction_rows, shape.ordered,
        coalesce(total.common, 0)::BIGINT AS common,
        -- Rows of which nothing is left, or that are one value each, say only how many there are.
        CASE
            WHEN told.agrees OR total.common > 0 AND told.columns > 1 THEN total.lacking
            ELSE greatest(shape.gold_rows - shape.prediction_rows, 0)
        END::BIGINT AS lacking,
        CASE
            WHEN told.agrees OR total.common > 0 AND told.columns > 1 THEN total.surplus
            ELSE greatest(shape.prediction_rows - shape.gold_rows, 0)
        END::BIGINT AS surplus,
        CASE WHEN told.agrees AND told.columns = shape.gold_width THEN coalesce(total.lost, 0) ELSE 0 END::BIGINT AS all_lost,
        CASE WHEN told.agrees AND told.columns = shape.gold_width THEN coalesce(total.added, 0) ELSE 0 END::BIGINT AS all_added
    FROM shape
    LEFT JOIN told USING (pair_id)
    LEFT JOIN total USING (pair_id)
)
SELECT
    *, CASE WHEN agrees AND columns > 1 THEN least(lacking, surplus) ELSE 0 END AS regrouped,
    CASE WHEN regrouped > 0 THEN 0 ELSE all_lost END AS lost,
    CASE WHEN regrouped > 0 THEN 0 ELSE all_added END AS added, lacking - regrouped - lost AS missing,
    surplus - regrouped - added AS extra
FROM counted;
