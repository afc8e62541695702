-- Which failed pairs have no symptom by now?
-- Inputs: temp failed, symptom. Result: temp symptom: none stays without.
INSERT INTO symptom
SELECT pair_id, 'other_difference', NULL, NULL, NULL, [], 'the tables differ in a way that has no name here'
FROM failed
ANTI JOIN symptom USING (pair_id);
