-- Gold tables and frozen evaluation configurations; and every table file, gold or predicted, as rows.
-- Inputs: sampling.instance. Grain: stated in each table's comment.

CREATE SCHEMA evaluation;

CREATE TABLE evaluation.config (
    task VARCHAR, version INTEGER, task_name VARCHAR, order_sensitive BOOLEAN, origin VARCHAR, body VARCHAR, digest VARCHAR
);
COMMENT ON TABLE evaluation.config IS 'One row per version of a task''s evaluation configuration; the largest version is in force. Grain: (task, version)';
COMMENT ON COLUMN evaluation.config.origin IS 'draft: inferred from the gold; edited: set by a person';
COMMENT ON COLUMN evaluation.config.body IS 'The configuration, schema 1.0 of the official evaluator, as JSON';
COMMENT ON COLUMN evaluation.config.digest IS 'SHA-256 of body';

CREATE TABLE evaluation.config_column (
    task VARCHAR, version INTEGER, gold_index INTEGER, gold_name VARCHAR, type VARCHAR, mode VARCHAR, digits INTEGER,
    unit VARCHAR, allow_percent_sign BOOLEAN
);
COMMENT ON TABLE evaluation.config_column IS 'One row per column of a configuration. Grain: (task, version, gold_index)';
COMMENT ON COLUMN evaluation.config_column.mode IS 'Numbers: integer, decimal_places or significant_digits';
COMMENT ON COLUMN evaluation.config_column.digits IS 'Digits of that mode';

CREATE TABLE evaluation.table_file (file VARCHAR, header VARCHAR[], row_count BIGINT, column_count INTEGER, problem VARCHAR);
COMMENT ON TABLE evaluation.table_file IS 'One row per distinct table file, gold or predicted, by content. Grain: (file)';
COMMENT ON COLUMN evaluation.table_file.file IS 'SHA-256 of the file''s bytes, kept in artifacts/';
COMMENT ON COLUMN evaluation.table_file.header IS 'First row; NULL when unreadable';
COMMENT ON COLUMN evaluation.table_file.problem IS 'Why it is not a readable table; NULL when it is';

CREATE TABLE evaluation.table_row (file VARCHAR, row BIGINT, cells VARCHAR[]);
COMMENT ON TABLE evaluation.table_row IS 'Rows of the readable table files, each as the list of its texts. Grain: (file, row)';
COMMENT ON COLUMN evaluation.table_row.row IS 'Row number, from 0';
COMMENT ON COLUMN evaluation.table_row.cells IS 'Cell texts in column order';

CREATE TABLE evaluation.gold (task VARCHAR, task_name VARCHAR, file VARCHAR);
COMMENT ON TABLE evaluation.gold IS 'The frozen gold table of a task. Grain: (task)';
COMMENT ON COLUMN evaluation.gold.file IS 'SHA-256 of the gold CSV';
