-- Canonical text: line ends as LF, white space stripped, NFC.
-- Input: a stripped cell. Result: the canonical text, '' for NULL; or NULL when the exact path must decide.
-- Most texts are ASCII or hold only characters that NFC never touches. nfc_normalize is used where its Unicode tables
-- cannot differ from Python's (the old part of the first plane) and where runs of combining marks stay short.
CREATE OR REPLACE TEMP MACRO canon_text(stripped) AS
    CASE
        WHEN strlen(stripped) = length(stripped) THEN canon_line_ends(stripped)
        WHEN regexp_full_match(stripped, '[\x00-\x{2ff}\x{3001}-\x{3029}\x{4e00}-\x{9fa5}\x{ff01}-\x{ffee}]*') THEN canon_line_ends(stripped)
        WHEN length(stripped) > 1000 OR regexp_matches(stripped, '[^\x00-\x{9fa5}\x{ac00}-\x{d7a3}\x{f900}-\x{fa2d}\x{ff01}-\x{ffee}]') THEN NULL
        ELSE nfc_normalize(canon_line_ends(stripped))
    END;

CREATE OR REPLACE TEMP MACRO canon_line_ends(stripped) AS
    CASE
        WHEN contains(stripped, chr(13)) THEN replace(replace(stripped, chr(13) || chr(10), chr(10)), chr(13), chr(10))
        ELSE stripped
    END;
