-- Which wanted columns hold a text in their first rows that their rule cannot read?
-- Inputs: temp wanted_column, column_code of the first rows. Results: those columns move from temp wanted_column to
-- evaluation.column_reading.
CREATE OR REPLACE TEMP TABLE unreadable AS
SELECT DISTINCT column_no FROM column_code WHERE code IS NULL;

INSERT INTO evaluation.column_reading
SELECT file_no, column_index, rule_id, false, NULL, NULL, version()
FROM wanted_column
JOIN unreadable USING (column_no);

DELETE FROM wanted_column WHERE column_no IN (SELECT column_no FROM unreadable);

UPDATE wanted_column SET row_limit = 100000;
