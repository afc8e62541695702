-- Which different column graphs are there?
-- Input: temp graph. Result: temp graph_kind, grain (kind_id): few, for many pairs look alike.
CREATE OR REPLACE TEMP TABLE graph_kind AS
SELECT row_number() OVER ()::INTEGER AS kind_id, readable, candidates
FROM (SELECT DISTINCT readable, candidates FROM graph);
