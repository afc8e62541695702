-- Which predictions have gold's rows, but not in gold's order, though order matters?
-- Inputs: temp row_change, line, shape; evaluation.table_row, text. Result: temp symptom.
CREATE OR REPLACE TEMP TABLE moved_row AS
SELECT gold.pair_id, gold.row
FROM row_change
JOIN line AS gold ON gold.pair_id = row_change.pair_id AND gold.sign = 1
JOIN line AS prediction ON prediction.pair_id = gold.pair_id AND prediction.row = gold.row AND prediction.sign = -1
WHERE row_change.ordered AND row_change.agrees AND row_change.lacking = 0 AND row_change.surplus = 0
    AND prediction.line <> gold.line;

INSERT INTO symptom
WITH place AS (
    SELECT pair_id, row
    FROM moved_row
    QUALIFY row_number() OVER (PARTITION BY pair_id ORDER BY row) <= 3
), cut AS (
    SELECT
        place.pair_id, place.row, side.sign, unnest(line.cells[:9]) AS text_id,
        unnest(range(least(len(line.cells), 9))) AS column_index
    FROM place
    JOIN shape USING (pair_id)
    CROSS JOIN (VALUES (1), (-1)) AS side (sign)
    JOIN evaluation.table_row AS line
        ON line.file_no = CASE side.sign WHEN 1 THEN shape.gold_no ELSE shape.prediction_no END AND line.row = place.row
), written AS (
    SELECT cut.pair_id, cut.row, cut.sign, list(text.text ORDER BY cut.column_index) AS texts
    FROM cut
    JOIN evaluation.text AS text ON text.text_id = cut.text_id
    GROUP BY ALL
), sample AS (
    SELECT
        gold.pair_id,
        list(
            diagnose_row('gold', gold.row, gold.texts) || '; ' || diagnose_row('prediction', gold.row, prediction.texts)
            ORDER BY gold.row
        ) AS examples
    FROM written AS gold
    JOIN written AS prediction
        ON prediction.pair_id = gold.pair_id AND prediction.row = gold.row AND prediction.sign = -1
    WHERE gold.sign = 1
    GROUP BY gold.pair_id
)
SELECT
    moved.pair_id, 'wrong_order', NULL, NULL, moved.n, sample.examples,
    'the rows are gold''s, but ' || diagnose_count(moved.n, 'row') || CASE WHEN moved.n = 1 THEN ' is' ELSE ' are' END
    || ' not where gold has them, and order matters'
FROM (SELECT pair_id, count(*) AS n FROM moved_row GROUP BY pair_id) AS moved
JOIN sample USING (pair_id);
