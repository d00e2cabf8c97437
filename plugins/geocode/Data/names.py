"""What things are called: the folding that searches use, and the choice of one Chinese name among the alternates."""

import unicodedata
from collections import Counter, defaultdict

SUFFIXES = ["特别行政区", "维吾尔自治区", "壮族自治区", "回族自治区", "自治区", "自治州", "自治县", "地区", "省", "市", "县", "区", "盟", "旗"]
"""Endings of Chinese division names that a person may leave out, longest first. `Folding.swift` has the same list."""

SPECIAL = {
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h", "ı": "i", "ŋ": "n",
    "ŧ": "t", "ĸ": "k", "ŉ": "n", "ſ": "s", "ə": "e", "ǝ": "e", "ɓ": "b", "ɗ": "d", "ƙ": "k", "ƴ": "y", "ɛ": "e",
    "ɔ": "o",
}


def is_han(text):
    """Whether `text` is Han characters only."""
    return bool(text) and all("\u3400" <= c <= "\u9fff" for c in text)


def fold(text):
    """The form in which names are compared: lower case, no diacritics, letters and digits only, no Chinese suffix."""
    out = []
    for c in unicodedata.normalize("NFD", text):
        if unicodedata.category(c)[0] == "M":
            continue
        for lower in c.lower():
            if unicodedata.category(lower)[0] in "LN" and lower not in "\u02bb\u02bc":
                out.append(SPECIAL.get(lower, lower))
    folded = "".join(out)
    if is_han(folded):
        for suffix in SUFFIXES:
            if folded.endswith(suffix) and len(folded) - len(suffix) >= 2:
                return folded[: -len(suffix)]
    return folded


def is_simplified(text):
    """Whether every character is in GB 2312, which holds the simplified forms only."""
    try:
        text.encode("gb2312")
        return True
    except UnicodeEncodeError:
        return False


def learn_simplification(all_alternates):
    """Which simplified character stands for a traditional one, learned from places that are named in both scripts.

    Two names of one place and of one length (寶安 and 宝安), the second in GB 2312, vote for each pair of characters in
    which they differ and of which the first is not in GB 2312; a pair of names must agree in a character or differ
    in traditional ones only. A character needs two votes.
    """
    votes = defaultdict(Counter)
    for alternates in all_alternates:
        han = sorted({a for a in alternates if is_han(a)})
        for simple in filter(is_simplified, han):
            for other in han:
                if len(other) == len(simple) and not is_simplified(other):
                    differing = [(t, s) for t, s in zip(other, simple) if t != s]
                    if len(differing) <= len(simple) // 2 and not any(is_simplified(t) for t, _ in differing):
                        for t, s in differing:
                            votes[t][s] += 1
    return {t: min(v, key=lambda s: (-v[s], s)) for t, v in votes.items() if max(v.values()) >= 2}


def chinese_name(alternates, divisions, simplification):
    """The Chinese name of a place in simplified characters, or an empty string.

    `divisions` is the set of official division names near it. Preferred, in this order: a name that is a division's
    once 市, 区, 县 or 镇 is added; one whose form with such a suffix is an alternate too (深圳 beside 深圳市, not 宝安);
    simplified as it stands; no suffix of its own; then the shorter, then the first by code point.
    """
    given = {a for a in alternates if is_han(a) and len(a) >= 2}
    han = given | {"".join(simplification.get(c, c) for c in a) for a in given}

    def preference(name):
        with_suffix = [name + s for s in "市区县镇"]
        return (
            not is_simplified(name),
            not any(f in divisions for f in with_suffix),
            not any(f in han for f in with_suffix),
            name not in divisions,
            name not in given,
            len(name) > 2 and name[-1] in "市",
            len(name),
            name,
        )

    return min(han, key=preference) if han else ""


def other_names(name, alternates, limit):
    """Further spellings worth finding a large city by: in Latin letters with a capital, or Chinese; at most `limit`.

    Words are kept out where the name is one word: `Lungsod ng München` finds nothing that `München` does not.
    """
    seen = {fold(name)}
    kept = []
    for a in sorted(set(alternates)):
        latin = a[:1].isupper() and all(ord(c) < 0x250 or 0x1E00 <= ord(c) < 0x1F00 for c in a) and 4 <= len(a) <= 12
        if " " in a and " " not in name:
            continue
        if not (latin or (is_han(a) and len(a) >= 2)) or "|" in a or "\t" in a:
            continue
        key = fold(a)
        if key and key not in seen:
            seen.add(key)
            kept.append(a)
    return kept[:limit]
