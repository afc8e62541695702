-- Which comparisons of more than eight columns find a difference?
-- Inputs: temp row_number, comparison. Result: more rows of temp differing.
INSERT INTO differing
SELECT DISTINCT comparison_no
FROM (
    SELECT line.comparison_no
    FROM (
        SELECT
            row_number.comparison_no, row_number.sign, unnest(row_number.numbers) AS number,
            unnest(CASE WHEN comparison.ordered THEN range(comparison.row_count) END) AS place
        FROM row_number
        JOIN comparison USING (comparison_no)
    ) AS line
    GROUP BY line.comparison_no, line.place, line.number
    HAVING sum(line.sign) <> 0
);
