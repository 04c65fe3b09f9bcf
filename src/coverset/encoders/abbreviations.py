"""Words that end in a full stop and no sentence, by language: where no capital letter tells a new one."""

from __future__ import annotations

import re
from functools import lru_cache

# In any language; what is a word of its own in one of them is not here.
EVERYWHERE = "approx|cf|dr|etc|max|min|mr|mrs|ms|nr|pp|prof|resp|tel|vol|vs"
LANGUAGES = {
    "english": r"al|apt|assn|ave|avg|blvd|bros|capt|co|corp|dept|ed|eg|eq|est|excl|ext|figs?|gen|gov|ie|incl?|jr"
    r"|ltd|misc|mt|nos?|qty|refs?|rep|rev|sec|sen|sgt|sq|sr|st|univ|viz|vols",
    "german": r"abb|abs|bsp|bspw|bzgl|bzw|ca|evtl|exkl|geb|ggfs?|inkl|mind|mio|mrd|sog|std|str|usw|vgl|zzgl",
    "dutch": r"bijv|blz|bv|ca|dhr|enz|evt|excl|incl|mevr|mln|mld",
    "french": r"chap|env|ex|excl|fig|incl|mme|mlle|éd",
    "spanish": r"aprox|art|cap|dpto|ej|incl|núm|págs?|sra?|srta|uds?",
    "italian": r"art|cap|dott|ecc|es|fig|incl|pagg?|sigg?|sig\.ra|tot",
    "portuguese": r"aprox|art|cap|dpto|ex|incl|núm|págs?|sra?",
    "swedish": r"bl|ca|exkl|inkl|jfr|kap|kl|osv|st|t\.ex",
    "danish": r"bl|ca|ekskl|fx|inkl|jf|kap|kl|osv|stk",
    "norwegian": r"bl|ca|ekskl|f\.eks|inkl|jf|kap|kl|osv|stk",
    "polish": r"godz|im|inż|itd|itp|np|ok|str|tj|tzn|ul|wg",
    "czech": r"apod|atd|č|kap|např|popř|resp|str|tj|tzv",
    "turkish": r"alm|bkz|örn|sn|vb|vd",
    "russian": "гл|др|им|корп|млн|млрд|напр|обл|пл|руб|рис|см|стр|тел|тыс|ул|чел|шт",  # noqa: RUF001
}
# Languages that write the third of May as 3. May.
ORDINALS = frozenset(
    {"czech", "danish", "estonian", "finnish", "german", "hungarian", "norwegian", "serbian", "turkish"}
)


@lru_cache
def shortened(language: str) -> re.Pattern[str]:
    """Return what finds one at the end of a text, its full stop left out."""
    own = LANGUAGES.get(language, LANGUAGES["english"])  # "none" is code and names, mostly among English
    return re.compile(rf"\b(?:{EVERYWHERE}|{own})$", re.IGNORECASE)
