"""Names of places: the folding for searches, and the choice of one Chinese name among the alternates."""

import functools
import unicodedata

SUFFIXES = ["特别行政区", "维吾尔自治区", "壮族自治区", "回族自治区", "自治区", "自治州", "自治县", "地区", "省", "市", "县", "区", "盟", "旗"]
"""Optional endings of Chinese division names, longest first. `Folding.swift` has the same list."""

PLACE_SUFFIXES = ["广域市", "特别市", "街道", "特区", "新区", "市", "区", "县", "镇", "乡"]
"""Endings that denote the kind of place."""
WHOLE_NAMES = {"胡志明市", "乔治市", "斯里巴加湾市", "中央区", "中心区", "新市镇"}
"""Names that are not complete without their ending."""
HAN = range(0x3400, 0xA000)

SPECIAL = {
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h", "ı": "i", "ŋ": "n",
    "ŧ": "t", "ĸ": "k", "ŉ": "n", "ſ": "s", "ə": "e", "ǝ": "e", "ɓ": "b", "ɗ": "d", "ƙ": "k", "ƴ": "y", "ɛ": "e",
    "ɔ": "o",
}


def is_han(text):
    """Returns whether `text` consists only of Han characters."""
    return bool(text) and all("\u3400" <= c <= "\u9fff" for c in text)


def fold(text):
    """Returns the form in which names are compared: lower case, no diacritics, letters and digits only, simplified, no
    Chinese suffix."""
    out = []
    for c in unicodedata.normalize("NFD", text):
        if unicodedata.category(c)[0] == "M":
            continue
        for lower in c.lower():
            if unicodedata.category(lower)[0] in "LN" and lower not in "\u02bb\u02bc":
                out.append(SPECIAL.get(lower, lower))
    folded = "".join(out)
    if any("\u3400" <= c <= "\u9fff" for c in folded):
        simple = simplified_characters()
        folded = "".join(chr(simple[ord(c) - HAN.start]) if ord(c) in HAN else c for c in folded)
    if is_han(folded):
        for suffix in SUFFIXES:
            if folded.endswith(suffix) and len(folded) - len(suffix) >= 2:
                return folded[: -len(suffix)]
    return folded


def is_simplified(text):
    """Returns whether every character is in GB 2312, which contains only simplified forms."""
    try:
        text.encode("gb2312")
        return True
    except UnicodeEncodeError:
        return False


@functools.cache
def converter(name):
    """Returns the OpenCC conversion with a name."""
    import opencc

    return opencc.OpenCC(name).convert


def simplify(text, is_japanese=False):
    """Returns Chinese text in simplified characters, and converts Japanese forms (広) by way of the traditional ones."""
    return converter("t2s")(converter("jp2t")(text) if is_japanese else text)


@functools.cache
def simplified_characters():
    """Returns the simplified character for each Han character of a name (U+3400 … U+9FFF)."""
    convert = converter("t2s")
    return [ord(simple) if len(simple := convert(chr(c))) == 1 and simple < "\U00010000" else c for c in HAN]


def chinese_name(alternates, divisions, is_japanese):
    """Returns the Chinese name of a place in simplified characters, or an empty string.

    `divisions` is the set of official division names near it. Preferred, in this order: a name that is a division's
    once 市, 区, 县 or 镇 is added; one whose form with such a suffix is an alternate too (深圳 beside 深圳市, not 宝安);
    simplified as it stands; then the shorter, then the first by code point. The suffix is left out.
    """
    given = {a for a in alternates if is_han(a.replace("·", "")) and len(a) >= 2}
    han = {simplify(a, is_japanese) for a in given}

    def preference(name):
        with_suffix = [name + s for s in "市区县镇"]
        return (
            not is_simplified(name.replace("·", "")),
            not any(f in divisions for f in with_suffix),
            not any(f in han for f in with_suffix),
            name not in divisions,
            name not in given,
            without_suffix(name) != name,
            len(name),
            name,
        )

    return without_suffix(min(han, key=preference)) if han else ""


def without_suffix(name):
    """Returns a place's name without its kind, if two characters remain: 深圳 for 深圳市, 海淀 for 海淀区."""
    for suffix in PLACE_SUFFIXES:
        if name.endswith(suffix) and len(name) - len(suffix) >= 2 and name not in WHOLE_NAMES:
            return name[: -len(suffix)]
    return name


def pinyin(name):
    """Returns the pronunciation of a Chinese name in Latin letters: `lasa` for 拉萨."""
    import pypinyin

    return "".join(pypinyin.lazy_pinyin(name))


def other_names(name, alternates, limit):
    """Returns at most `limit` useful spellings for finding a large city: capitalized in Latin letters, or Chinese.

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
