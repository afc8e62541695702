"""A fixed sample of every real corpus through the main job; `make accept` runs them whole."""

import pytest
from corpora import CORPORA, Corpus, run_corpus

SAMPLE = {"spider_dev": 120, "spider_train_pick": 60, "bird_superhero": 40, "chinook": 40, "ehrsql_mimic_iv_demo": 40}


@pytest.mark.parametrize("corpus", CORPORA, ids=lambda corpus: corpus.name)
def test_the_main_job_on_real_input(corpus: Corpus, shared, tmp_path):
    got = run_corpus(corpus, shared, tmp_path, SAMPLE[corpus.name])
    assert got.tasks + sum(got.codes.values()) == got.questions == SAMPLE[corpus.name]
    assert got.share >= corpus.least_share, got
    assert got.gold_accuracy == 1.0
    assert got.trivial_passes == []
    assert got.undecided == []
