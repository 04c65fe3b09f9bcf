"""What a document's metadata say of how it was found, by the same names in every framework."""

from __future__ import annotations

from coverset.answer import Hit
from coverset.plain import Json

SCORE, WEIGHT = "coverset_score", "coverset_weight"
PART, WORDS, ALIKE, ANSWERED = "coverset_part", "coverset_words", "coverset_alike", "coverset_answered"
NAMES = (SCORE, WEIGHT, PART, WORDS, ALIKE, ANSWERED)


def said(hit: Hit, *, answered: bool) -> Json:
    """Return what is known of a hit, and whether anything seems to answer the request, as plain data."""
    return {
        SCORE: hit.score,
        WEIGHT: hit.weight,
        PART: hit.part,
        WORDS: list(hit.words),
        ALIKE: list(hit.alike),
        ANSWERED: answered,
    }
