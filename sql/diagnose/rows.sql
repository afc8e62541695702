-- Which rows are missing, extra, lost or added duplicates, or put together otherwise?
-- Inputs: temp row_change, line_count, shape; evaluation.table_row, text. Result: temp symptom.
INSERT INTO symptom
WITH kind AS (
    SELECT pair_id, 'missing_rows' AS code, 1 AS sign, missing AS n FROM row_change
    UNION ALL SELECT pair_id, 'extra_rows', -1, extra FROM row_change
    UNION ALL SELECT pair_id, 'duplicates_lost', 1, lost FROM row_change
    UNION ALL SELECT pair_id, 'duplicates_added', -1, added FROM row_change
    UNION ALL SELECT pair_id, 'rows_associated_wrongly', -1, regrouped FROM row_change
), place AS (
    SELECT
        kind.pair_id, kind.code, kind.sign,
        CASE kind.sign WHEN 1 THEN line.gold_row ELSE line.prediction_row END AS row
    FROM kind
    JOIN line_count AS line USING (pair_id)
    WHERE kind.n > 0 AND (line.gold_n - line.prediction_n) * kind.sign > 0
        AND CASE kind.code
            WHEN 'duplicates_lost' THEN line.prediction_n > 0
            WHEN 'duplicates_added' THEN line.gold_n > 0
            ELSE true
        END
    QUALIFY row_number() OVER (PARTITION BY kind.pair_id, kind.code ORDER BY row) <= 3
), cut AS (
    SELECT place.*, unnest(line.cells[:9]) AS text_id, unnest(range(least(len(line.cells), 9))) AS column_index
    FROM place
    JOIN shape USING (pair_id)
    JOIN evaluation.table_row AS line
        ON line.file_no = CASE place.sign WHEN 1 THEN shape.gold_no ELSE shape.prediction_no END
        AND line.row = place.row
), written AS (
    SELECT cut.pair_id, cut.code, cut.sign, cut.row, list(text.text ORDER BY cut.column_index) AS texts
    FROM cut
    JOIN evaluation.text AS text ON text.text_id = cut.text_id
    GROUP BY ALL
), sample AS (
    SELECT
        pair_id, code,
        list(diagnose_row(CASE sign WHEN 1 THEN 'gold' ELSE 'prediction' END, row, texts) ORDER BY row) AS examples
    FROM written
    GROUP BY ALL
)
SELECT
    kind.pair_id, kind.code, NULL, NULL, kind.n, coalesce(sample.examples, []),
    CASE kind.code
        WHEN 'missing_rows' THEN diagnose_count(kind.n, 'row') || ' of gold not in the prediction'
        WHEN 'extra_rows' THEN diagnose_count(kind.n, 'row') || ' of the prediction not in gold'
        WHEN 'duplicates_lost' THEN diagnose_count(kind.n, 'row') || ' that gold repeats left out'
        WHEN 'duplicates_added' THEN diagnose_count(kind.n, 'row') || ' repeated more often than in gold'
        ELSE diagnose_count(kind.n, 'row') || ' with the values of gold put together otherwise'
    END
    || CASE
        WHEN change.columns = 0 OR change.columns = change.gold_width THEN ''
        ELSE format(
            ' (told by gold {} {})', CASE WHEN change.columns = 1 THEN 'column' ELSE 'columns' END,
            array_to_string(change.gold_columns[:12], ', ')
        )
    END
FROM kind
JOIN row_change AS change USING (pair_id)
LEFT JOIN sample USING (pair_id, code)
WHERE kind.n > 0;
