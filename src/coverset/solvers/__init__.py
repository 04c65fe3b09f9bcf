"""The mathematics under NNN: arrays in, arrays out."""
