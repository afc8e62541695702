-- How cells and rows stand in examples and sentences, for all queries of this folder.
-- Inputs: a cell's text. A long cell is cut; a control character stays, for what shows it on a terminal marks it.
CREATE OR REPLACE TEMP MACRO diagnose_cell(text) AS
    '"' || CASE WHEN strlen(text) > 60 AND length(text) > 60 THEN text[:60] || '…' ELSE text END || '"';

-- A count of things in words.
CREATE OR REPLACE TEMP MACRO diagnose_count(n, thing) AS
    n::VARCHAR || ' ' || thing || CASE WHEN n = 1 THEN '' ELSE 's' END;

-- A row of an example: its number as people count, and its first eight cells.
CREATE OR REPLACE TEMP MACRO diagnose_row(side, row, texts) AS
    side || ' row ' || (row + 1)::VARCHAR || ': ' || array_to_string(list_transform(texts[:8], lambda text: diagnose_cell(text)), ', ')
    || CASE WHEN len(texts) > 8 THEN ', …' ELSE '' END;

-- The text without white space in it (that of Unicode, as canon_strip has it).
CREATE OR REPLACE TEMP MACRO diagnose_closed(text) AS
    regexp_replace(text, '[\x09-\x0d\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]+', '', 'g');

-- The day of a datetime's code (sql/canon/moment.sql), as the code of a date.
CREATE OR REPLACE TEMP MACRO diagnose_day(code) AS
    CASE
        WHEN code = canon_null() THEN code
        ELSE (code - ((code % 172800000000 + 172800000000) % 172800000000)) // 172800000000
    END;
