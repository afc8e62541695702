-- Which files in artifacts/ does the lake refer to, and from where?
-- Inputs: source.db, sampling.instance, workspace.artifact, evaluation.*, run.prediction, score.verdict.
-- Grain: (digest), in order; place is the first column that names it. A column that names artifacts belongs in here:
-- vacuum removes what is not found.
SELECT digest, min(place) AS place
FROM (
    SELECT artifact AS digest, 'source.db.artifact' AS place FROM source.db
    UNION ALL
    SELECT artifact, 'sampling.instance.artifact' FROM sampling.instance
    UNION ALL
    SELECT gold_artifact, 'sampling.instance.gold_artifact' FROM sampling.instance
    UNION ALL
    SELECT artifact, 'workspace.artifact.artifact' FROM workspace.artifact
    UNION ALL
    SELECT file, 'evaluation.gold.file' FROM evaluation.gold
    UNION ALL
    SELECT file, 'evaluation.table_file.file' FROM evaluation.table_file
    UNION ALL
    SELECT file, 'run.prediction.file' FROM run.prediction
    UNION ALL
    SELECT gold_file, 'score.verdict.gold_file' FROM score.verdict
    UNION ALL
    SELECT prediction_file, 'score.verdict.prediction_file' FROM score.verdict
    WHERE prediction_file NOT IN ('missing', 'unusable')
)
WHERE digest IS NOT NULL
GROUP BY digest
ORDER BY digest;
