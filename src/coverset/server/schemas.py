"""What goes in and what comes out, as the OpenAPI document states it. Unknown fields are errors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from coverset import answer
from coverset.decoders import Decoder
from coverset.decoders.registry import NAMES, Given, as_setting, chosen, name_of, options
from coverset.explaining.reasons import LeftOut
from coverset.plain import Foreign, Json
from coverset.server import settings

if TYPE_CHECKING:
    from typing_extensions import Self

    Name: TypeAlias = str
else:
    Name = Literal[NAMES]
Id = Annotated[str, Field(min_length=1, max_length=settings.LONGEST_ID)]
Query = Annotated[str, Field(min_length=1, max_length=settings.LONGEST_QUERY, description="What is needed.")]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Listed = Annotated[list[Query], Field(max_length=16)]
Distinct = Annotated[
    Share | Literal[False, "auto"] | None,
    Field(
        description="The cosine from which on documents are one kind, of which one is returned; false: all are; "
        "auto: told by the corpus; null: the decoder's own."
    ),
]
Parts = Annotated[
    Listed | Literal["auto"] | None,
    Field(description="What the request is made of: told from its text, nothing (null), or as listed."),
]
Unit = Annotated[
    Literal["passage", "document"],
    Field(description="document: of one that was cut into passages only the best, and k counts documents."),
]
Meta = Annotated[Json, Field(description="Whatever JSON can hold.")]

REQUEST = "take the sine of an angle in degrees and round the result to two decimals"


class Model(BaseModel):
    """What all have in common."""

    model_config = ConfigDict(extra="forbid", strict=True, ser_json_inf_nan="null")

    @classmethod
    def like(cls, found: object, **more: object) -> Self:
        """Return what the library found as the service states it: the fields that both have, and those given."""
        both = {name: getattr(found, name) for name in cls.model_fields if hasattr(found, name)}
        return cls.model_construct(**{**both, **more})


def shown(**example: Foreign) -> ConfigDict:
    """Return what makes a model's example part of the OpenAPI document."""
    return ConfigDict(json_schema_extra={"example": example})


class Parameters(Model):
    """What can be set of a decoder: a field for each parameter, added by `with_parameters`, and what all have."""

    distinct: Distinct = None

    def given(self) -> Given:
        """Return what the request sets, null where it does not."""
        return {name: getattr(self, name) for name in options()}

    def with_kinds(self, decoder: Decoder) -> Decoder:
        """Return a decoder that tells kinds apart as the request says."""
        return decoder if self.distinct is None else replace(decoder, distinct=self.distinct)


Parametrised = TypeVar("Parametrised", bound=Parameters)


def with_parameters(model: type[Parametrised]) -> type[Parametrised]:
    """Add a field for every parameter of every decoder."""
    added: Json = {}
    for name, option in options().items():
        kind, high = option.parameter.kind, option.parameter.high
        bounds = Field(ge=option.parameter.low, le=settings.LARGEST if high is None else high, allow_inf_nan=False)
        accepted = kind if kind is bool else Annotated[kind, bounds]
        added[name] = (accepted | None, Field(None, description=option.help))
    return create_model(
        model.__name__, __base__=model, __doc__=model.__doc__, __module__=model.__module__, **added
    )


class Asked(Parameters):
    """How queries are to be answered: by which decoder, among which documents, how many."""

    decoder: Name | None = Field(
        None, description="null: the store's own. Without l1 or l2, NNN chooses them for each query."
    )
    k: int = Field(5, ge=1, le=settings.MOST_K, description="How many documents; where `fill` is false, at most.")
    where: Json | None = Field(
        None, description='Only documents whose metadata match: `{"lang": "py", "year": {"$gte": 2024}}`.'
    )
    share: Share | None = Field(None, description="The share of words in a score; null: the store's own.")
    per: Unit = "passage"
    explain: bool = Field(False, description="Also say what each document adds, and what is left out.")


@with_parameters
class Search(Asked):
    """One query."""

    model_config = shown(query=REQUEST, k=5, explain=True)
    query: Query
    parts: Parts = "auto"


@with_parameters
class SearchBatch(Asked):
    """Several queries, answered from the same version of the store."""

    model_config = shown(queries=[REQUEST, "invert a matrix"], k=3)
    queries: list[Query] = Field(min_length=1, max_length=settings.MOST_QUERIES)
    parts: list[Listed | None] | Literal["auto"] | None = Field(
        "auto", description="As for one query; a list has those of each query."
    )


class Reason(Model):
    """What a document does in an answer."""

    adds: float = Field(description="The share of the query that it explains beyond the documents before it.")
    place: int | None = Field(description="Its place among the nearest documents; null: beyond 1000.")
    displaced: tuple[LeftOut, ...] = Field(
        description="Documents among the nearest that are left out and most like it."
    )


class Hit(Model):
    """A document of an answer."""

    id: str
    text: str
    score: float = Field(description="What it explains of the query by itself, from 0 to 1.")
    weight: float = Field(description="NNN: its weight; Dense: the inner product; MMR: the marginal score.")
    meta: Meta
    part: str | None = Field(None, description="The part of the request that it serves best; null: the whole.")
    words: tuple[str, ...] = Field(description="The words of the request and its parts that it has.")
    alike: tuple[str, ...] = Field(description="Documents so alike that this one stands for them.")
    reason: Reason | None = None


class Setting(Model):
    """A decoder as it was run, with what was left to it to choose: NNN's strengths, the cosine of kinds."""

    name: str
    parameters: Json

    @classmethod
    def of(cls, decoder: Decoder) -> Setting:
        """Return a decoder as the service states it."""
        return cls(**as_setting(decoder))


class Answer(Model):
    """The documents for one query, best first."""

    hits: list[Hit]
    parts: list[answer.Part] = Field(description="What the request is made of; none where it is one thing.")
    uncovered_words: list[str] = Field(description="Words of the request and its parts that others have.")
    unknown_words: list[str] = Field(description="Words of the request and its parts that no document has.")
    share: float = Field(description="The share of words in scores.")
    answered: bool = Field(description="False: nothing here seems to answer the request.")
    covered: float = Field(
        description="The share of the query that they explain together; with stated parts, the mean with them."
    )
    certified: bool | None = Field(description="NNN: proved optimal over all documents searched.")
    gap: float | None = Field(description="NNN: the duality gap.")
    passes: int = Field(description="Searches of the whole corpus that it took.")
    decoder: Setting
    version: int = Field(description="The version of the store that was searched.")

    @classmethod
    def of(cls, found: answer.Answer) -> Answer:
        """Return an answer as the service states it."""
        hits = [Hit.like(hit, reason=Reason.like(hit) if found.explained else None) for hit in found.hits]
        return cls.like(found, hits=hits, decoder=Setting.of(found.decoder))


class Answers(Model):
    """An answer for each query, in their order."""

    answers: list[Answer]


class Document(Model):
    """A document."""

    id: Id
    text: Annotated[str, Field(min_length=1, max_length=settings.LONGEST_TEXT)]
    meta: Meta = Field(default_factory=dict)


class Upsert(Model):
    """Documents to add; one whose id is already there is replaced."""

    model_config = shown(
        documents=[{"id": "np.sort", "text": "Return a sorted copy of an array.", "meta": {"lang": "py"}}]
    )
    documents: list[Document] = Field(min_length=1, max_length=settings.MOST_DOCUMENTS)


class Delete(Model):
    """Ids of documents to delete."""

    model_config = shown(ids=["np.sort"])
    ids: list[Id] = Field(min_length=1, max_length=settings.MOST_DOCUMENTS)


class Changed(Model):
    """A write that is on disk."""

    changed: int = Field(description="How many documents are new, different or gone.")
    documents: int = Field(description="How many documents there are now.")


@with_parameters
class Default(Parameters):
    """The decoder that searches use unless they say otherwise."""

    model_config = shown(decoder="nnn", l1=0.05, l2=0.1)
    decoder: Name
    share: Share | None = Field(None, description="The share of words in a score; null: as it is.")

    @classmethod
    def of(cls, decoder: Decoder, share: float | None) -> Default:
        """Return a decoder as the service states it."""
        return cls(
            decoder=name_of(decoder), share=share, distinct=getattr(decoder, "distinct", None), **chosen(decoder)
        )


class Example(Model):
    """A query and the documents that it needs."""

    query: Query
    relevant: list[Id | Annotated[list[Id], Field(min_length=1, max_length=settings.MOST_K)]] = Field(
        min_length=1, max_length=settings.MOST_K, description="Ids; a list among them: any one of these."
    )


class Tune(Model):
    """Labelled examples to choose NNN's parameters by."""

    model_config = shown(examples=[{"query": REQUEST, "relevant": ["np.sin", "np.round"]}], apply=False)
    examples: list[Example] = Field(min_length=1, max_length=settings.MOST_EXAMPLES)
    apply: bool = Field(False, description="Make the setting to use the store's default.")


class Tuned(Model):
    """The setting to use: the best, where left-out examples surely gain by it, or else the default.

    Comp@5 is the share of examples for which all relevant documents are in the top 5.
    """

    best: Default
    comp_at_5: float
    recall_at_5: float
    default_comp_at_5: float
    default_recall_at_5: float
    gain: float = Field(
        description="Over the default in the mean of both, each example judged by the choice that the others make."
    )
    gain_low: float = Field(description="Where the gain's interval begins; not above 0, the default stays.")
    gain_high: float = Field(description="Where it ends.")
    gain_level: float = Field(description="How sure that interval is, 0.8 say.")
    dense_comp_at_5: float
    dense_recall_at_5: float
    applied: bool


class Store(Model):
    """What is being served."""

    documents: int
    encoder: str
    dim: int
    words: str | None = Field(description="The language that words are taken out of texts by; null: meaning only.")
    version: int = Field(description="Goes up with every write.")
    default: Default
    configured: bool = Field(description="Whether somebody has chosen that default, or it is as it comes.")
    coverset: str


class Health(Model):
    """Whether it is well."""

    status: Literal["ok", "starting", "stopping"]


class Error(Model):
    """Why not."""

    code: str
    message: str


class Problem(Model):
    """An answer that is an error."""

    model_config = shown(error={"code": "invalid", "message": "body.k: Input should be less than or equal to 100"})
    error: Error
