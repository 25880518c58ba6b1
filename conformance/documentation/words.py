"""The words of a text without its markup, and their hash."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_DIGITS = str.maketrans("0123456789abcdef", "zyxwvutsrqponmlk")
_LENGTH = 8

_TOKEN = re.compile(r"\w+(?:\.\w+)*|[^\w\s]")
_MINUS = str.maketrans(dict.fromkeys("\N{MINUS SIGN}\N{EN DASH}\N{NON-BREAKING HYPHEN}\N{HYPHEN}", "-"))
_QUOTES = str.maketrans(dict.fromkeys("\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}", '"'))
_MARKER = re.compile(r"^(?:[-*+•]|\d+[.)])\s+")
_FENCE = re.compile(r"^\s*```.*$", re.MULTILINE)
_ROLE = re.compile(r":(?:[a-z]+:)*[a-z]+:(?=`)")
_LINK = re.compile(r"`([^`<]*?)\s*<[^`<>]*>`_{0,2}")
_MARKDOWN_LINK = re.compile(r"\[([^\][]+)\]\([^()\s]*\)")
_NAMED_LINK = re.compile(r"(`[^`]+`)_{1,2}(?!\w)")
_PATH = re.compile(r"`[~!]([\w.]+)`")
_STRONG = re.compile(r"\*\*(?=\S)([^*]*[^\s*])\*\*")
_EMPHASIS = re.compile(r"(?<![\w*)\]])\*(?=[^\W\d])([^*\n]*\w)\*(?![\w*(])")
_ENDS = ".:;,!?\N{IDEOGRAPHIC FULL STOP}"


def words(text: str, *, is_code: bool = False) -> list[str]:
    """The words, numbers and signs of a text, without white space, markup, roles and case.

    Minus signs, digits, names and the signs of formulas are kept. Code has no emphasis and no markers of lists.
    """
    text = _FENCE.sub("", unicodedata.normalize("NFKC", text.translate(_MINUS)).translate(_QUOTES))
    if not is_code:
        text = _without_markup(text)
    text = text.replace("`", "").replace("\\", "").strip().rstrip(_ENDS)
    return _TOKEN.findall(text.casefold())


def _without_markup(text: str) -> str:
    text = _MARKER.sub("", text.strip())
    text = _NAMED_LINK.sub(r"\1", _LINK.sub(r"`\1`", _ROLE.sub("", text)))
    text = _MARKDOWN_LINK.sub(r"\1", _PATH.sub(r"`\1`", text))
    return _EMPHASIS.sub(r"\1", _STRONG.sub(r"\1", text))


def hash_of(text: str, entry: str | None = None, *, is_code: bool = False) -> str:
    """The hash of the words of a text, preceded by the name of the entry that it belongs to.

    Its digits are the letters from k to z, since YAML would read 12345678 and 1234e567 as numbers.
    """
    content = " ".join([*words(entry or "", is_code=True), *words(text, is_code=is_code)])
    return hashlib.sha256(content.encode()).hexdigest()[:_LENGTH].translate(_DIGITS)
