-- Which foreign keys have edges or violations to rows that their tables do not have?
-- Inputs: source.key_edge, source.key_violation, source.db_key, source.db_table.
-- Grain: one sentence per such key; no rows when all is well.
WITH span AS (
    SELECT
        db, key, min(child_rowid) AS child_first, max(child_rowid) AS child_last,
        min(parent_rowid) AS parent_first, max(parent_rowid) AS parent_last
    FROM source.key_edge
    GROUP BY db, key
    UNION ALL
    SELECT db, key, min(child_rowid), max(child_rowid), NULL, NULL
    FROM source.key_violation
    GROUP BY db, key
), bound AS (
    SELECT
        span.*, db_key.table_name, db_key.ref_table,
        child.first_rowid AS child_least, child.last_rowid AS child_most,
        parent.first_rowid AS parent_least, parent.last_rowid AS parent_most
    FROM span
    LEFT JOIN source.db_key AS db_key ON db_key.db = span.db AND db_key.key = span.key AND db_key.kind = 'foreign'
    LEFT JOIN source.db_table AS child ON child.db = span.db AND child.table_name = db_key.table_name
    LEFT JOIN source.db_table AS parent ON parent.db = span.db AND parent.table_name = db_key.ref_table
), found AS (
    SELECT
        *,
        child_first >= child_least AND child_last <= child_most AS child_held,
        parent_first IS NULL OR (parent_first >= parent_least AND parent_last <= parent_most) AS parent_held
    FROM bound
)
SELECT
    CASE
        WHEN table_name IS NULL THEN format('there are edges of key {}, which is no foreign key of database {}', key, db)
        WHEN child_held IS NOT TRUE THEN format(
            'key {} has child rows {} to {}, outside of table {}', key, child_first, child_last, table_name)
        ELSE format('key {} has parent rows {} to {}, outside of table {}', key, parent_first, parent_last, ref_table)
    END AS breach
FROM found
WHERE table_name IS NULL OR child_held IS NOT TRUE OR parent_held IS NOT TRUE;
