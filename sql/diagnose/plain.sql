-- Which predictions are no table, and which searches ended undecided?
-- Inputs: temp failed, pair, shape. Result: temp symptom.
INSERT INTO symptom
SELECT pair_id, 'missing_prediction', NULL, NULL, NULL, [], 'there is no prediction file'
FROM pair
JOIN failed USING (pair_id)
WHERE pair.missing
UNION ALL
SELECT
    pair_id, 'unreadable_csv', NULL, NULL, NULL, [],
    coalesce(pair.problem, 'the prediction could not be read as a table')
FROM pair
JOIN failed USING (pair_id)
ANTI JOIN shape USING (pair_id)
WHERE NOT pair.missing
UNION ALL
SELECT pair_id, 'undecided', NULL, NULL, NULL, [], 'the search for a column mapping stopped at its bound'
FROM failed
WHERE undecided;
