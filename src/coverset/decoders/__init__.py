"""The rules that pick a set of documents: one rule per file, one signature, one result type."""

from coverset.decoders.decoder import Decoder
from coverset.decoders.dense import Dense
from coverset.decoders.mmr import MMR
from coverset.decoders.nnn import NNN
from coverset.decoders.rrf import RRF

__all__ = ["MMR", "NNN", "RRF", "Decoder", "Dense"]
