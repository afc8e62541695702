-- In how many rows does a changed column differ, where the other columns tell the rows apart?
-- Inputs: temp change, level, row_change, line, pair_column, matched_code. Result: temp changed_rows, grain (pair_id,
-- gold_index): rows without counterpart once the column counts too. Its values alone may tell of fewer, for a value
-- that one row has lost another may have won.
CREATE OR REPLACE TEMP TABLE changed_rows AS
WITH looked_at AS (
    SELECT change.pair_id, change.gold_index
    FROM change
    JOIN row_change USING (pair_id)
    ANTI JOIN level USING (pair_id, gold_index)
    WHERE change.changed > 0 AND row_change.agrees AND least(row_change.lacking, row_change.surplus) = 0
), cell AS MATERIALIZED (
    -- The columns' cells first: the estimates would join all lines with all codes of their row.
    SELECT held.pair_id, held.gold_index, held.sign, code.row, hash(held.gold_index, code.code) AS value
    FROM (SELECT * FROM looked_at JOIN pair_column USING (pair_id, gold_index)) AS held
    JOIN matched_code AS code USING (column_no)
), longer AS (
    SELECT cell.pair_id, cell.gold_index, line.line + cell.value AS line, sum(line.sign) AS more
    FROM cell
    JOIN line ON line.pair_id = cell.pair_id AND line.sign = cell.sign AND line.row = cell.row
    GROUP BY ALL
    HAVING more <> 0
)
SELECT pair_id, gold_index, least(sum(more) FILTER (more > 0), -sum(more) FILTER (more < 0))::BIGINT AS n
FROM longer
GROUP BY pair_id, gold_index;
