"""What to train, from what, and how: one object, handed down from the command line to the last step."""

from __future__ import annotations

from dataclasses import dataclass, field

from coverset.inputs import as_choice, as_count, as_number
from coverset.plain import Fields, Foreign

METHODS = ("dense", "nnn", "colt")
# What a run that is resumed may have otherwise than before.
CHANGEABLE = ("epochs", "patience", "device")
# Where the defaults below, the paper's for whole encoders, are not the usual choice. Adapters over frozen
# embeddings have to do all the learning, and learn fast. COLT's are those of its authors.
ADAPTER: Fields = {"rate": 1e-3, "patience": 6}
COLT: Fields = {"batch": 256, "rate": 1e-3, "decay": 1e-7, "patience": 20}


def _option(default: object, told: str, flag: str = "", methods: tuple[str, ...] = METHODS) -> Foreign:
    """A field that the command line offers: for which methods, as which flag, and what it says of it."""
    return field(default=default, metadata={"told": told, "flag": flag, "methods": methods})


@dataclass(frozen=True)
class Plan:
    """A training run. The defaults are the paper's for whole encoders; `usual` has those of each method.

    Parameters
    ----------
    method
        "dense", "nnn" or "colt".
    dataset
        A folder in BEIR layout, with the splits train and dev.
    encoder, and all that follow
        What the command line says of them.
    """

    method: str
    dataset: str
    encoder: str = _option("all-MiniLM-L6-v2", "The encoder to start from: a name, or a folder.")
    part: str = _option(
        "encoder", "encoder: the networks; adapter: small adapters over frozen embeddings.", "--train",
        ("dense", "nnn"),
    )  # fmt: skip
    decoder: str = _option("nnn", "nnn, l1 (nnn with l2 = 0) or l2 (l1 = 0).", methods=("nnn",))
    gradient: str = _option("implicit", "implicit: of the optimum; unrolled: the paper's.", methods=("nnn",))
    l1: float | None = _option(None, "NNN's l1; default: the best on dev.", methods=("nnn",))
    l2: float | None = _option(None, "NNN's l2; default: the best on dev.", methods=("nnn",))
    tau: float = _option(0.1, "Temperature of the loss.", methods=("nnn",))
    max_tokens: int | None = _option(
        None, "Cut texts after so many tokens; default: where the network does.", methods=("dense", "nnn")
    )
    depth: int = _option(2, "How many times vectors are spread over the graphs.", methods=("colt",))
    weight: float = _option(0.1, "Of the contrastive loss.", methods=("colt",))
    held_out: float = _option(0.0, "Share of the relevant sets to keep out of training altogether.", "--hold-out")
    epochs: int = _option(20, "At most so many.")
    batch: int = _option(64, "Examples in a batch.")
    rate: float = _option(2e-5, "Learning rate of AdamW; for adapters, 1e-3.", "--lr")
    decay: float = _option(0.01, "Weight decay of AdamW.")
    patience: int = _option(3, "Stop after so many epochs that are no better on dev; for adapters, 6.")
    steps: int | None = _option(None, "At most so many batches in an epoch; default: all.")
    seed: int = _option(0, "Of everything random.")
    device: str | None = _option(None, "auto, cpu, cuda, cuda:N or mps; default: $COVERSET_DEVICE, or auto.")

    def __post_init__(self) -> None:
        """Check the values; what only shows when the run begins, such as a device, is checked there."""
        as_choice("method", self.method, METHODS)
        as_choice("train", self.part, ("encoder", "adapter"))
        as_choice("decoder", self.decoder, ("nnn", "l1", "l2"))
        as_choice("gradient", self.gradient, ("unrolled", "implicit"))
        as_number("tau", self.tau, 1e-4)
        as_number("hold-out", self.held_out, 0.0, 0.9)
        for name in ("epochs", "batch", "patience", "depth"):
            as_count(name, getattr(self, name))
        as_count("steps", self.steps, optional=True)
        for name in ("rate", "decay", "weight", "seed"):
            as_number(name, getattr(self, name), 0.0)

    @classmethod
    def usual(cls, method: str, dataset: str, **given: object) -> Plan:
        """Return a plan with what is given and, for the rest, what is usual for the method."""
        own = COLT if method == "colt" else ADAPTER if given.get("part") == "adapter" else {}
        return cls(method, dataset, **{**own, **given})
