-- Which tasks have several accepted attempts?
-- Inputs: sampling.instance. Grain: one sentence per such task; no rows when all is well.
SELECT format('task {} has {} accepted attempts', task, count(*)) AS breach
FROM sampling.instance
WHERE status = 'accepted'
GROUP BY task
HAVING count(*) > 1;
