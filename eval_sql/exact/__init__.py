"""The slow exact path: canonical values of texts that the macros of `sql/canon` leave open."""
