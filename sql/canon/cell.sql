-- What every type but text does first with a cell, and the codes that stand for canonical values.
-- Inputs: a cell's text. A canonical value under a rule is one BIGINT: equal values have equal codes, and unequal
-- values unequal ones. NULL: the cell cannot be read under the rule.

-- The value NULL.
CREATE OR REPLACE TEMP MACRO canon_null() AS -9223372036854775807;
-- Not settled here: the exact path decides.
CREATE OR REPLACE TEMP MACRO canon_slow() AS -9223372036854775806;
-- Fast codes lie below this in size; above it lie numbers without a short code: this plus the id of their exact text.
CREATE OR REPLACE TEMP MACRO canon_interned() AS 4611686018427387904;

-- str.strip of Python: white space of Unicode, and the separators U+001C to U+001F.
CREATE OR REPLACE TEMP MACRO canon_strip(cell) AS
    CASE
        WHEN regexp_matches(cell, '^[\x09-\x0d\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]|[\x09-\x0d\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]$')
        THEN regexp_replace(cell, '^[\x09-\x0d\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]+|[\x09-\x0d\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]+$', '', 'g')
        ELSE cell
    END;

-- The words that mean NULL in every type but text, in any case.
CREATE OR REPLACE TEMP MACRO canon_is_null(stripped) AS
    strlen(stripped) <= 4 AND regexp_full_match(stripped, '(?i)(null|none|nan|nat|<na>)?');
