-- Record the incoming files.
-- Input: incoming, grain (file): '' as problem means none; a file with a problem has no header and no counts.
-- Result: new rows of evaluation.table_file.
INSERT INTO evaluation.table_file BY NAME
SELECT
    file, file_no, nullif(problem, '') AS problem,
    CASE WHEN problem = '' THEN header END AS header,
    CASE WHEN problem = '' THEN row_count END AS row_count,
    CASE WHEN problem = '' THEN column_count END AS column_count
FROM incoming
ORDER BY file_no;
