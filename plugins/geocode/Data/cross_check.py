#!/usr/bin/env python3
"""Compares the geocoder's tables with Debian's iso-codes, an independent source for ISO 3166.

    cross_check.py             exit status 1 if something differs that nobody has looked at
    cross_check.py --record    writes what differs to cross_check.tsv, where each needs a reason before it is committed

Codes of two and three letters must be those of ISO 3166-1, and Kosovo. A Chinese name that is called otherwise there must
be one that cross_check.tsv lists as looked at: iso-codes is no better source (it has 琦玉 for Saitama), but where both say the
same, nobody need look. Only compared, never shipped: the list holds our own names. Where the package is not installed
(`apt-get install iso-codes`), the script says so and is content.
"""

import argparse
import gettext
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLES = HERE.parent / "Sources" / "GeocodePlugin" / "Tables"
REVIEWED = HERE / "cross_check.tsv"
CODES = Path("/usr/share/iso-codes/json")
LOCALE = Path("/usr/share/locale/zh_CN/LC_MESSAGES")
WITHOUT_ISO = {"XK"}
"""Codes that others assign and ISO 3166-1 does not."""
ENDINGS = "省市县州府区都道"
"""Optional endings of a division's Chinese name."""


def rows(name):
    return [line.split("\t") for line in (TABLES / name).read_text().splitlines()[1:]]


def entries(part):
    return json.loads((CODES / f"iso_{part}.json").read_text())[part]


def translation(part):
    with (LOCALE / f"iso_{part}.mo").open("rb") as file:
        return gettext.GNUTranslations(file).gettext


def code_problems():
    ours = {row[0]: row[1] for row in rows("countries.tsv")}
    theirs = {entry["alpha_2"]: entry["alpha_3"] for entry in entries("3166-1")}
    return [
        f"{code}: {ours.get(code, 'missing')} here, {theirs.get(code, 'missing')} in iso-codes"
        for code in sorted(set(ours) | set(theirs)) if code not in WITHOUT_ISO and ours.get(code) != theirs.get(code)]


def name_differences():
    """Returns code, English name and Chinese name of the differing entries of iso-codes, and the number of compared entries."""
    found, compared = [], 0
    chinese = translation("3166-1")
    names = {e["alpha_2"]: {chinese(e[k]) for k in ("name", "common_name") if k in e} for e in entries("3166-1")}
    for code, _, english, ours, *_ in rows("countries.tsv"):
        if code in names:
            compared += 1
            if ours not in names[code]:
                found.append((code, english, ours))
    chinese = translation("3166-2")
    divisions = {(e["code"][:2], e["name"]): chinese(e["name"]) for e in entries("3166-2")}
    for code, english, ours, *_ in rows("admin1.tsv"):
        theirs = divisions.get((code[:2], english))
        # A name that equals the English one has no translation.
        if ours and theirs and theirs != english:
            compared += 1
            if ours.rstrip(ENDINGS) != theirs.rstrip(ENDINGS):
                found.append((code, english, ours))
    return found, compared


def reviewed():
    """Returns the reasons for our differing names, by code, English name and our name."""
    lines = REVIEWED.read_text().splitlines() if REVIEWED.exists() else []
    return {tuple(line.split("\t")[:3]): line.split("\t")[3] for line in lines if not line.startswith("#")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    if not (CODES / "iso_3166-1.json").exists() or not (LOCALE / "iso_3166-1.mo").exists():
        print("iso-codes is not installed: nothing to compare with")
        return 0
    problems = code_problems()
    found, compared = name_differences()
    reasons = reviewed()
    if arguments.record:
        REVIEWED.write_text(
            "# Chinese names that iso-codes has otherwise, read one by one. Code, English, ours, why ours stands.\n"
            + "".join("\t".join([*row, reasons.get(row, "")]) + "\n" for row in found))
        reasons = reviewed()
    problems += [f"{' '.join(row)}: otherwise in iso-codes, and nobody has said why ours stands" for row in found
                 if not reasons.get(row)]
    problems += [f"{' '.join(row)}: iso-codes agrees by now; take it out of {REVIEWED.name}" for row in reasons
                 if row not in found]
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{compared} Chinese names compared with iso-codes, {len(found)} differ, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
