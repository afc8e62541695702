-- Which pairs need the search for a column mapping?
-- Inputs: temp outcome, pair. Grain: (pair_id).
SELECT outcome.pair_id, pair.row_count, pair.ordered
FROM outcome
JOIN pair USING (pair_id)
WHERE outcome.equal IS NULL
ORDER BY outcome.pair_id;
