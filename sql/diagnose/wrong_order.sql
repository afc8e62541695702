-- Which predictions have gold's rows, but not in gold's order, though order matters?
-- Inputs: temp row_change, line, shape. Result: temp symptom.
INSERT INTO symptom
WITH moved AS (
    SELECT
        gold.pair_id, count(*) AS n,
        list('row ' || gold.row + 1 || ' is another row of gold' ORDER BY gold.row)[:3] AS examples
    FROM row_change
    JOIN line AS gold ON gold.pair_id = row_change.pair_id AND gold.sign = 1
    JOIN line AS prediction
        ON prediction.pair_id = gold.pair_id AND prediction.row = gold.row AND prediction.sign = -1
    WHERE row_change.ordered AND row_change.agrees AND row_change.lacking = 0 AND row_change.surplus = 0
        AND prediction.line <> gold.line
    GROUP BY gold.pair_id
)
SELECT
    pair_id, 'wrong_order', NULL, NULL, n, examples, 'the rows are gold''s, but ' || diagnose_count(n, 'row')
    || CASE WHEN n = 1 THEN ' is' ELSE ' are' END || ' not where the order of gold has them'
FROM moved;
