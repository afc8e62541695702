-- Canonical booleans: 1 and 0, case folded. Input: a stripped cell that is not NULL.
-- Without regard to case, as casefold has it: an s may also be the long one.
CREATE OR REPLACE TEMP MACRO canon_boolean(stripped) AS
    CASE
        WHEN strlen(stripped) > 6 THEN NULL
        WHEN regexp_full_match(stripped, '(?i)1|true|yes|y|是') THEN 1
        WHEN regexp_full_match(stripped, '(?i)0|false|no|n|否') THEN 0
    END;
