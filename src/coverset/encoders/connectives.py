"""What joins two things in a request, by language. In those not listed here punctuation tells parts apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

# Between two things in any language, not within a number; Han, Arabic, Burmese and Ethiopic have their own commas.
COMMA = r"(?<!\d),\s+|(?:(?<!\d)[\u3001\uff0c\u060c\u104a\u1363]|[\u3001\uff0c\u060c\u104a\u1363](?!\d))\s*"
COLON = r"\s*[:\u2014]\s+|\uff1a\s*"
PUNCTUATION = re.compile(rf"{COMMA}|\s+&\s+|{COLON}")


@dataclass(frozen=True)
class Connectives:
    """The words of a language between two things that are asked for; each a pattern.

    Attributes
    ----------
    joins
        Between two things, if enough is said on both sides: and, but; "and" is the first.
    clear
        Join two things wherever they stand: then, as well as.
    later
        Do so after a comma or one of `joins` only ("is also accused of", "next week", "öffne dann das Archiv").
    or_
        May be left at the beginning of a part, as all of them may, and says nothing there.
    names
        Whether a capital letter tells a name, so that "Tom and Mary" stay together; in German every noun has one.
    """

    joins: str
    clear: str
    later: str
    or_: str
    names: bool = True

    @cached_property
    def strong(self) -> re.Pattern[str]:
        """Where a request comes apart, if anything is said on both sides."""
        return re.compile(
            rf"(?:,\s*|\s+)(?:(?:{self.joins})\s+)?(?:{self.clear})\b,?\s*"
            rf"|(?:,\s*(?:(?:{self.joins})\s+)?|\s+(?:{self.joins})\s+)(?:{self.later})\b,?\s*",
            re.IGNORECASE,
        )

    @cached_property
    def weak(self) -> re.Pattern[str]:
        """Where it comes apart if more is said on both sides."""
        return re.compile(
            rf"(?:{COMMA})(?:(?:{self.joins})\s+)?|,?\s+(?:{self.joins}|&)\s+|{COLON}", re.IGNORECASE
        )

    @cached_property
    def lead(self) -> re.Pattern[str]:
        """What may be left over at the beginning of a part."""
        return re.compile(rf"^(?:(?:{self.joins}|{self.or_}|{self.clear}|{self.later})\b[,:]?\s*)+", re.IGNORECASE)

    @cached_property
    def between_names(self) -> re.Pattern[str] | None:
        """Two words and what joins names, and the first letter of each: Paris, France; Tom and Mary."""
        if not self.names:
            return None
        and_ = self.joins.partition("|")[0]  # not but: ", but I ..." says something else
        return re.compile(rf"(\w)[\w.'\u2019-]*(?:,\s+|,?\s+(?:{and_}|&)\s+)(\w)")


LANGUAGES = {
    "english": Connectives(
        joins="and|but",
        clear=r"as well as|along with|in addition to|followed by|after (?:that|this|which)|afterwards?"
        r"|subsequently|then|while|whereas|plus|(?:before|after) (?=\w+ing\b)",
        later=r"in addition|additionally|furthermore|moreover|besides|also|finally|lastly|next(?=,)",
        or_="or",
    ),
    "german": Connectives(
        joins="und|aber",
        clear="sowie|gefolgt von|während",
        later="dann|danach|anschlie(?:ß|ss)end|daraufhin|au(?:ß|ss)erdem|zudem|zusätzlich|ferner|auch"
        "|schlie(?:ß|ss)lich|zuletzt",
        or_="oder",
        names=False,
    ),
    "french": Connectives(
        joins="et|mais",
        clear="ainsi que|suivie?s? d[e']|puis|après quoi|tandis que",
        later="ensuite|de plus|en outre|par ailleurs|également|aussi|enfin|finalement",
        or_="ou",
    ),
    "spanish": Connectives(
        joins="y|e|pero",
        clear="así como|seguid[oa]s? de|mientras que",
        later="luego|después(?! de)|a continuación|además|asimismo|también|finalmente|por último",
        or_="o|u",
    ),
    "italian": Connectives(
        joins="e|ed|ma",
        clear="così come|nonché|seguit[oaie] da|dopodiché|mentre",
        later="poi|quindi|in seguito|inoltre|anche|infine",
        or_="o|oppure",
    ),
    "portuguese": Connectives(
        joins="e|mas",
        clear="assim como|bem como|seguid[oa]s? de|enquanto",
        later="depois(?! de)|em seguida|além disso|também|finalmente|por fim",
        or_="ou",
    ),
    "dutch": Connectives(
        joins="en|maar",
        clear="evenals|alsmede|gevolgd door|terwijl",
        later="dan|daarna|vervolgens|bovendien|daarnaast|ook|ten slotte|tot slot",
        or_="of",
    ),
}
