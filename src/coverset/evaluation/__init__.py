"""How good a decoder is on labelled data: data sets, metrics, evaluation, tuning."""
