-- Of the wide pairs, which have unequal rows?
-- Inputs: temp row_class, pair. Result: more rows of temp unequal.
INSERT INTO unequal
SELECT DISTINCT pair_id
FROM (
    SELECT line.pair_id
    FROM (
        SELECT
            row_class.pair_id, row_class.sign, unnest(row_class.classes) AS class,
            unnest(CASE WHEN pair.ordered THEN range(pair.row_count) END) AS place
        FROM row_class
        JOIN pair USING (pair_id)
    ) AS line
    GROUP BY line.pair_id, line.place, line.class
    HAVING sum(line.sign) <> 0
);
