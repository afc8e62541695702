-- Which comparable pairs have a column mapping to be tried on their rows?
-- Inputs: temp graph, graph_kind, graph_verdict. Result: temp paired, grain (pair_id).
CREATE OR REPLACE TEMP TABLE paired AS
SELECT graph.pair_id, verdict.mapping, verdict.more
FROM graph
JOIN graph_kind USING (readable, candidates)
JOIN graph_verdict AS verdict USING (kind_id)
WHERE len(verdict.mapping) > 0;
