-- Which columns hold other values than gold's, and how many?
-- Inputs: temp change, level, changed_rows, pair_value, balance; evaluation.text. Result: temp symptom.
-- Only what can be read and no level explains. Examples set gold's values without counterpart beside the prediction's,
-- in row order.
INSERT INTO symptom
WITH left_over AS (
    SELECT
        change.pair_id, change.gold_index, change.prediction_index, count(level.level) = 0 AS at_no_level,
        greatest(
            coalesce(
                min(level.remaining), greatest(any_value(change.changed), coalesce(any_value(changed_rows.n), 0))
            ) - any_value(change.unreadable),
            0
        )::BIGINT AS n
    FROM change
    LEFT JOIN level USING (pair_id, gold_index)
    LEFT JOIN changed_rows USING (pair_id, gold_index)
    WHERE change.changed > 0
    GROUP BY ALL
), alone AS (
    SELECT
        value.pair_id, value.gold_index, value.sign, value.text_id, value.first_row,
        row_number() OVER (
            PARTITION BY value.pair_id, value.gold_index, value.sign ORDER BY value.first_row, value.text_id
        ) AS place
    FROM pair_value AS value
    JOIN left_over USING (pair_id, gold_index)
    JOIN balance USING (pair_id, gold_index, code)
    WHERE balance.more * value.sign > 0 AND left_over.at_no_level
    QUALIFY place <= 3
), sample AS (
    SELECT
        gold.pair_id, gold.gold_index,
        list(
            format('gold row {} ', gold.first_row + 1) || diagnose_cell(gold_text.text)
            || format(', prediction row {} ', prediction.first_row + 1) || diagnose_cell(prediction_text.text)
            ORDER BY gold.place
        ) AS examples
    FROM alone AS gold
    JOIN alone AS prediction
        ON prediction.pair_id = gold.pair_id AND prediction.gold_index = gold.gold_index
        AND prediction.place = gold.place AND prediction.sign = -1
    JOIN evaluation.text AS gold_text ON gold_text.text_id = gold.text_id
    JOIN evaluation.text AS prediction_text ON prediction_text.text_id = prediction.text_id
    WHERE gold.sign = 1
    GROUP BY ALL
)
SELECT
    left_over.pair_id, 'changed_values', left_over.gold_index, left_over.prediction_index, left_over.n,
    coalesce(sample.examples, []),
    diagnose_count(left_over.n, 'value') || format(' of gold column {} ', left_over.gold_index)
    || CASE WHEN left_over.n = 1 THEN 'is' ELSE 'are' END || ' replaced by others'
FROM left_over
LEFT JOIN sample USING (pair_id, gold_index)
WHERE left_over.n > 0;
