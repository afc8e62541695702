-- Which prediction columns hold cells that their type cannot read?
-- Inputs: temp change, pair_value; evaluation.text. Result: temp symptom.
INSERT INTO symptom
WITH first AS (
    SELECT pair_id, gold_index, text_id, first_row
    FROM pair_value
    WHERE sign = -1 AND code IS NULL
    QUALIFY row_number() OVER (PARTITION BY pair_id, gold_index ORDER BY first_row) <= 3
), sample AS (
    SELECT
        first.pair_id, first.gold_index,
        list('row ' || first.first_row + 1 || ': ' || diagnose_cell(text.text) ORDER BY first.first_row) AS examples
    FROM first
    JOIN evaluation.text AS text ON text.text_id = first.text_id
    GROUP BY ALL
)
SELECT
    change.pair_id, 'unreadable_cells', change.gold_index, change.prediction_index, change.unreadable, sample.examples,
    format('prediction column {} has ', change.prediction_index) || diagnose_count(change.unreadable, 'cell')
    || format(
        ' that cannot be read as {}, the type of gold column {}',
        change.type || CASE WHEN change.mode = 'integer' THEN ' (integer)' ELSE '' END, change.gold_index
    )
FROM change
JOIN sample USING (pair_id, gold_index)
WHERE change.unreadable > 0;
