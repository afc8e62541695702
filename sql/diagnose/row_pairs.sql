-- Which rows of one pair differ, and which row of the prediction is nearest to each of gold's?
-- Inputs: $rows, how many rows of gold to look at; temp shape, pair_column, matched_code, for one pair.
-- Results: temp differing_row, grain (sign, row): rows without counterpart, by all matched columns (by place, where order
-- matters and the tables are equally long); temp row_pair, grain (gold_row, prediction_row): up to twenty candidates for
-- each row of gold: score is twice the number of equal cells, plus one for the same place. Prediction rows are looked
-- at up to a bound on the cells compared.
CREATE OR REPLACE TEMP TABLE whole_line AS
SELECT pair_column.sign, code.row, sum(hash(pair_column.gold_index, code.code)) AS line
FROM pair_column
JOIN matched_code AS code USING (column_no)
GROUP BY pair_column.sign, code.row;

CREATE OR REPLACE TEMP TABLE differing_row AS
WITH by_place AS (
    SELECT ordered AND gold_rows = prediction_rows AS matters FROM shape
), counted AS (
    SELECT
        sign, row, line, row_number() OVER (PARTITION BY sign, line ORDER BY row) AS place,
        least(
            count(*) FILTER (sign = 1) OVER (PARTITION BY line), count(*) FILTER (sign = -1) OVER (PARTITION BY line)
        ) AS common
    FROM whole_line
)
SELECT sign, row
FROM counted
WHERE place > common AND NOT (SELECT matters FROM by_place)
UNION ALL
SELECT side.sign, gold.row
FROM whole_line AS gold
JOIN whole_line AS prediction ON prediction.row = gold.row AND prediction.sign = -1
CROSS JOIN (VALUES (1), (-1)) AS side (sign)
WHERE gold.sign = 1 AND gold.line <> prediction.line AND (SELECT matters FROM by_place);

CREATE OR REPLACE TEMP TABLE row_pair AS
WITH gold AS (
    SELECT row FROM differing_row WHERE sign = 1 ORDER BY row LIMIT $rows
), prediction AS (
    SELECT row
    FROM differing_row
    WHERE sign = -1
    ORDER BY row
    LIMIT (SELECT 6400000 // ($rows * any_value(gold_width)) + 1 FROM shape)
), gold_cell AS (
    SELECT gold.row, pair_column.gold_index, code.code
    FROM pair_column
    JOIN matched_code AS code USING (column_no)
    JOIN gold ON gold.row = code.row
    WHERE pair_column.sign = 1
), equal_cells AS (
    SELECT gold_cell.row AS gold_row, prediction.row AS prediction_row, 2 * count(*) AS score
    FROM pair_column
    JOIN matched_code AS code USING (column_no)
    JOIN prediction ON prediction.row = code.row
    JOIN gold_cell ON gold_cell.gold_index = pair_column.gold_index AND gold_cell.code = code.code
    WHERE pair_column.sign = -1
    GROUP BY ALL
), same_place AS (
    SELECT gold.row AS gold_row, prediction.row AS prediction_row, 1 AS score
    FROM gold
    JOIN prediction ON prediction.row = gold.row
)
SELECT gold_row, prediction_row, sum(score) AS score
FROM (FROM equal_cells UNION ALL FROM same_place)
-- Where places count, rows are compared place by place.
WHERE gold_row = prediction_row OR NOT (SELECT ordered AND gold_rows = prediction_rows FROM shape)
GROUP BY gold_row, prediction_row
QUALIFY row_number() OVER (PARTITION BY gold_row ORDER BY sum(score) DESC, prediction_row) <= 20;
