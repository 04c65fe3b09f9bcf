"""The point of the project in one screen: a catalogue of tools, requests that need several of them."""
