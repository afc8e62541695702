-- Which selected rows belong to no accepted instance?
-- Inputs: sampling.selected_row, sampling.instance. Grain: one sentence per such row; no rows when all is well.
SELECT format('row {} of table {} is selected for task {}, attempt {}, which is not accepted', _rowid, table_name, task, attempt)
    AS breach
FROM sampling.selected_row AS selected
ANTI JOIN (SELECT task, attempt FROM sampling.instance WHERE status = 'accepted') AS accepted USING (task, attempt);
