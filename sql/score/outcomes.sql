-- What is known of each comparable pair once its first mapping has been tried?
-- Inputs: temp graph, graph_kind, graph_verdict, paired, unequal.
-- Result: temp outcome, grain (pair_id). equal is NULL where another mapping may yet make the rows equal.
CREATE OR REPLACE TEMP TABLE outcome AS
SELECT
    graph.pair_id, verdict.fits = 1 AS readable,
    CASE
        WHEN paired.pair_id IS NULL THEN false
        WHEN unequal.pair_id IS NULL THEN true
        WHEN verdict.more = 0 THEN false
    END AS equal,
    CASE WHEN paired.pair_id IS NOT NULL AND unequal.pair_id IS NULL THEN verdict.mapping END AS mapping,
    false AS undecided
FROM graph
JOIN graph_kind USING (readable, candidates)
JOIN graph_verdict AS verdict USING (kind_id)
LEFT JOIN paired USING (pair_id)
LEFT JOIN unequal USING (pair_id);
