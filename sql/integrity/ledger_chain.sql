-- Which ledger events do not fit their writer's hash chain?
-- Inputs: ledger.event. Grain: (writer, sequence) of each broken event; no rows when every chain holds.
WITH linked AS (
    SELECT
        writer, sequence, previous_hash, hash,
        sha256(concat_ws(chr(10), writer, sequence, epoch_us(recorded_at), stage, detail, previous_hash)) AS expected,
        lag(hash) OVER chain AS before,
        lag(sequence) OVER chain AS sequence_before
    FROM ledger.event
    WINDOW chain AS (PARTITION BY writer ORDER BY sequence)
)
SELECT
    writer,
    sequence,
    CASE
        WHEN hash IS DISTINCT FROM expected THEN 'the hash does not fit the content'
        WHEN sequence IS DISTINCT FROM coalesce(sequence_before, 0) + 1 THEN 'an event before it is missing'
        ELSE 'the link to the event before is wrong'
    END AS reason
FROM linked
WHERE hash IS DISTINCT FROM expected
    OR sequence IS DISTINCT FROM coalesce(sequence_before, 0) + 1
    OR previous_hash IS DISTINCT FROM coalesce(before, repeat('0', 64))
ORDER BY writer, sequence;
