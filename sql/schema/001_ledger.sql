-- The ledger and the lake's own settings: how everything in the lake came to be.
-- Inputs: none (first schema file). Grain: stated in each table's comment.

CREATE SCHEMA ledger;

CREATE TABLE ledger.schema_version (version INTEGER, name VARCHAR, digest VARCHAR);
COMMENT ON TABLE ledger.schema_version IS 'One row per schema file applied to this lake. Grain: (version)';
COMMENT ON COLUMN ledger.schema_version.version IS 'Number of the file in sql/schema, from 1';
COMMENT ON COLUMN ledger.schema_version.name IS 'File name';
COMMENT ON COLUMN ledger.schema_version.digest IS 'SHA-256 of the file as applied';

CREATE TABLE ledger.setting (name VARCHAR, value VARCHAR);
COMMENT ON TABLE ledger.setting IS 'One row per setting that benchlake keeps about the lake itself. Grain: (name)';
COMMENT ON COLUMN ledger.setting.name IS 'views_digest: SHA-256 over the view files in force';
COMMENT ON COLUMN ledger.setting.value IS 'Value as text';

CREATE TABLE ledger.event (
    writer VARCHAR, sequence BIGINT, recorded_at TIMESTAMPTZ, stage VARCHAR, detail VARCHAR, previous_hash VARCHAR, hash VARCHAR
);
COMMENT ON TABLE ledger.event IS 'One row per commit, append only; each writer (process) has a hash chain of its own. Grain: (writer, sequence)';
COMMENT ON COLUMN ledger.event.writer IS 'Random id of the writing process';
COMMENT ON COLUMN ledger.event.sequence IS 'Position in that writer''s chain, from 1';
COMMENT ON COLUMN ledger.event.recorded_at IS 'Time of the commit, UTC';
COMMENT ON COLUMN ledger.event.stage IS 'lake, ingest, sample, render, config, materialise, predictions, score, vacuum or import';
COMMENT ON COLUMN ledger.event.detail IS 'What was done, as canonical JSON';
COMMENT ON COLUMN ledger.event.previous_hash IS 'Hash of the writer''s event before; zeros for the first';
COMMENT ON COLUMN ledger.event.hash IS 'SHA-256 over writer, sequence, microseconds since 1970, stage, detail and previous_hash, joined by line feeds';

CREATE TABLE ledger.outcome (
    stage VARCHAR, item VARCHAR, corpus VARCHAR, status VARCHAR, code VARCHAR, message VARCHAR, policy VARCHAR
);
COMMENT ON TABLE ledger.outcome IS 'One row per item that a stage has finished, accepted or rejected; an item without a row is pending. Grain: (stage, item)';
COMMENT ON COLUMN ledger.outcome.stage IS 'ingest, sample, render, or run (only for predicted folders that are no task; predictions are in run.prediction)';
COMMENT ON COLUMN ledger.outcome.item IS 'ingest and sample: question id; render: task id; run: run and folder name';
COMMENT ON COLUMN ledger.outcome.corpus IS 'Corpus of the item; NULL when it belongs to none';
COMMENT ON COLUMN ledger.outcome.status IS 'accepted or rejected';
COMMENT ON COLUMN ledger.outcome.code IS 'Rejection code (docs/codes.md); NULL when accepted';
COMMENT ON COLUMN ledger.outcome.message IS 'One sentence with the value or row that shows why; NULL when accepted';
COMMENT ON COLUMN ledger.outcome.policy IS 'Id of the policy under which it was decided; a rejected item is tried again under another policy';
