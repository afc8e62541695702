-- How cells and rows stand in examples and sentences, for all queries of this folder.
-- Inputs: a cell's text. A long cell is cut; a control character stays, for what shows it on a terminal marks it.
CREATE OR REPLACE TEMP MACRO diagnose_cell(text) AS
    '"' || CASE WHEN strlen(text) > 60 AND length(text) > 60 THEN text[:60] || '…' ELSE text END || '"';

-- A count of things in words.
CREATE OR REPLACE TEMP MACRO diagnose_count(n, thing) AS
    n::VARCHAR || ' ' || thing || CASE WHEN n = 1 THEN '' ELSE 's' END;

-- A row of an example: its place (from 0) as people count, and its first eight cells.
CREATE OR REPLACE TEMP MACRO diagnose_row(side, place, texts) AS
    side || ' row ' || (place + 1)::VARCHAR || ': ' || array_to_string(list_transform(texts[:8], lambda text: diagnose_cell(text)), ', ')
    || CASE WHEN len(texts) > 8 THEN ', …' ELSE '' END;

-- The text without white space in it (that of Unicode, as canon_strip has it).
CREATE OR REPLACE TEMP MACRO diagnose_closed(text) AS
    regexp_replace(text, '[\x09-\x0d\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]+', '', 'g');

-- The code of a number's reading (its parts as canon_form has them) under a rule's kind, as sql/score/codes.sql gives
-- it; NULL, too, when only the exact path can tell.
CREATE OR REPLACE TEMP MACRO diagnose_number(form, size, scale, length, kind) AS
    CASE
        WHEN form = 0 THEN canon_null()
        WHEN form = 3 THEN NULL
        WHEN form = 2 AND kind // 3 % 3 = 0 THEN NULL
        ELSE
            nullif(
                canon_number(
                    abs(size), scale + CASE WHEN form = 2 AND kind // 3 % 3 = 2 THEN 2 ELSE 0 END, length, kind
                ),
                canon_slow()
            ) * CASE WHEN size < 0 THEN -1 ELSE 1 END
    END;

-- The day of a datetime's code (sql/canon/moment.sql), as the code of a date.
CREATE OR REPLACE TEMP MACRO diagnose_day(code) AS
    CASE
        WHEN code = canon_null() THEN code
        ELSE (code - ((code % 172800000000 + 172800000000) % 172800000000)) // 172800000000
    END;
