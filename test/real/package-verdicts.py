#!/usr/bin/env python3
"""Evaluates every record of an OSV export by brute force: the oracle of the matching of packages.

    test/real/package-verdicts.py npm ../shared/feeds-packages/osv/npm/all.zip

Prints one line of JSON per record, package and version: id, ecosystem, name, version, verdict (`affected`, `unaffected`
or `undecided`). The versions of a package are those that its events and its lists name, neighbours of the events, and
some that no tool parses. The algorithm is the evaluation of the OSV schema; the orders follow PEP 440 (python3-packaging),
SemVer 2.0.0, and Composer's VersionParser with PHP's version_compare. It shares no code with the product on purpose.
"""
import json
import re
import sys
import zipfile

from packaging.version import InvalidVersion, Version

AFFECTED, UNAFFECTED, UNDECIDED = "affected", "unaffected", "undecided"

# --- Orders: each parser returns a key that Python compares, or None ---

IDENTIFIERS = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
SEMVER = re.compile(rf"v?(\d+(?:\.\d+)*)(?:-({IDENTIFIERS}))?(?:\+{IDENTIFIERS})?", re.A)


def semver(text):
    """SemVer 2.0.0, section 11. It may have fewer numbers than three, or more: missing ones are 0. A `v` may precede."""
    match = SEMVER.fullmatch(text)
    if not match:
        return None
    prerelease = match[2]
    release = [int(one) for one in match[1].split(".")]
    while release and release[-1] == 0:
        release.pop()
    if prerelease is None:
        return release, (1,)
    # Numeric identifiers precede the others; fewer precede more.
    return release, (0, [(0, int(one), "") if one.isdigit() else (1, 0, one) for one in prerelease.split(".")])


def pypi(text):
    """PEP 440; legacy versions have no order."""
    try:
        return Version(text)
    except InvalidVersion:
        return None


STABILITY = r"[._-]?(?:(stable|beta|b|rc|alpha|a|patch|pl|p)((?:[.-]?\d+)*)?)?([.-]?dev)?"
CLASSICAL = re.compile(rf"v?(\d{{1,5}})(\.\d+)?(\.\d+)?(\.\d+)?{STABILITY}", re.I | re.A)
DATED = re.compile(rf"v?(\d{{4}}(?:[.:-]?\d{{2}}){{1,6}}(?:[.:-]?\d{{1,3}}){{0,2}}){STABILITY}", re.I | re.A)
BRANCH = re.compile(r"v?(\d+)(\.(?:\d+|[x*]))?(\.(?:\d+|[x*]))?(\.(?:\d+|[x*]))?[.-]?dev", re.I | re.A)
LONG = {"a": "alpha", "b": "beta", "p": "patch", "pl": "patch", "rc": "RC"}


def composer_normalized(text):
    """VersionParser::normalize: four components, then the stability in its long form. Named branches have no order."""
    text = re.sub(r"@(?:stable|RC|beta|alpha|dev)$", "", text.strip(), flags=re.I)
    build = re.fullmatch(r"([^,\s+]+)\+[^\s]+", text)
    text = build[1] if build else text
    if match := CLASSICAL.fullmatch(text):
        numbers = match[1] + "".join(one or ".0" for one in match.group(2, 3, 4))
        stability, number, dev = match.group(5, 6, 7)
    elif match := DATED.fullmatch(text):
        numbers = re.sub(r"\D", ".", match[1])
        stability, number, dev = match.group(2, 3, 4)
    elif match := BRANCH.fullmatch(text):
        return re.sub(r"[xX*]", "9999999", match[1] + "".join(one or ".x" for one in match.group(2, 3, 4))) + "-dev"
    else:
        return None
    if stability:
        stability = stability.lower()
        if stability == "stable":
            return numbers
        numbers += "-" + LONG.get(stability, stability) + (number or "").lstrip(".-")
    return numbers + ("-dev" if dev else "")


# PHP: "any string not found" < dev < alpha = a < beta = b < RC = rc < # < pl = p; # is a number.
PHP_FORMS = [("dev", 0), ("alpha", 1), ("a", 1), ("beta", 2), ("b", 2), ("RC", 3), ("rc", 3), ("pl", 5), ("p", 5)]
PHP_NUMBER = 4


def php_rank(part):
    """A form counts by its first letters: `patch` is `p`."""
    return PHP_NUMBER if part[0].isdigit() else next((rank for form, rank in PHP_FORMS if part.startswith(form)), -1)


class Php:
    """A key in the order of PHP's version_compare."""

    def __init__(self, normalized):
        self.parts = re.findall(r"\d+|[^\d.]+", re.sub(r"[-_+]", ".", normalized))

    def compare(self, other):
        for mine, theirs in zip(self.parts, other.parts):
            both = mine[0].isdigit() and theirs[0].isdigit()
            left, right = (int(mine), int(theirs)) if both else (php_rank(mine), php_rank(theirs))
            if left != right:
                return -1 if left < right else 1
        return self.longer(other) or -other.longer(self)

    def longer(self, other):
        """What remains of the longer one: a number is greater, a word counts as against a number."""
        if len(self.parts) <= len(other.parts):
            return 0
        rest = self.parts[len(other.parts)]
        if rest[0].isdigit():
            return 1
        return (php_rank(rest) > PHP_NUMBER) - (php_rank(rest) < PHP_NUMBER)

    def __eq__(self, other):
        return self.compare(other) == 0

    def __lt__(self, other):
        return self.compare(other) < 0

    def __le__(self, other):
        return self.compare(other) <= 0


def packagist(text):
    normalized = composer_normalized(text)
    return None if normalized is None else Php(normalized)


ORDERS = {"npm": semver, "Go": semver, "Bitnami": semver, "PyPI": pypi, "Packagist": packagist}


def cached(parse):
    known = {}

    def key(text):
        if text not in known:
            known[text] = parse(text)
        return known[text]

    return key


# --- Evaluation (OSV schema, "Evaluation") ---

KINDS = ["introduced", "last_affected", "fixed", "limit"]


def at_or_after(version, bound, key):
    """`0` precedes every version."""
    return bound == "0" or key(bound) <= key(version)


def numbers(text, least=1):
    """The numbers at the start; the flag says that nothing follows. One right before `x` or `*` is a part of a number."""
    match = re.match(r"[vV]?((?:\d+\.)*\d+)(.?)", text, re.S)
    if not match or match[2] and match[2] in ".!:":
        return None
    found = [int(one) for one in match[1].split(".")]
    found = found[:-1] if re.fullmatch(r"[Xx*]", match[2]) else found
    return (found, match[2] == "") if len(found) >= least else None


def sign(text, bound):
    """1 if the numbers of a version that cannot be parsed are above those of the bound, -1 below. None if they do not differ."""
    mine, theirs = numbers(text, 2), numbers(bound)
    if mine is None or theirs is None:
        return None
    width = max(len(mine[0]), len(theirs[0]))
    for (found, whole) in (mine, theirs):
        found += [0 if whole else None] * (width - len(found))
    for one, other in zip(mine[0], theirs[0]):
        if one is None or other is None:
            return None
        if one != other:
            return 1 if one > other else -1
    return None


def by_numbers(bounds, version, key):
    """The verdict of one range for a version that cannot be parsed: every bound differs in its numbers."""
    signs = [1 if text == "0" else sign(version, text) for _, text in bounds]
    if None in signs or any(kind == "limit" for kind, _ in bounds):
        return UNDECIDED
    below = [one for one, side in zip(bounds, signs) if side > 0]
    above = [one for one, side in zip(bounds, signs) if side < 0]
    if any(not at_or_after(text, other, key) for _, other in below if other != "0" for _, text in above):
        return UNDECIDED
    last = None
    for kind, text in sorted(below, key=lambda one: KINDS.index(one[0])):
        if last is None or last[1] == "0" or (text != "0" and at_or_after(text, last[1], key)):
            last = kind, text
    return AFFECTED if last and last[0] == "introduced" else UNAFFECTED


def in_range(events, version, key):
    """The verdict of one range."""
    if [list(event.items()) for event in events] == [[("introduced", "0")]]:
        return AFFECTED
    bounds = [(kind, event[kind]) for event in events for kind in KINDS if kind in event]
    if not any(kind == "introduced" for kind, _ in bounds):
        return UNDECIDED
    if any(text not in ("0", "*") and key(text) is None for _, text in bounds):
        return UNDECIDED
    if key(version) is None:
        return by_numbers(bounds, version, key)
    limits = [text for kind, text in bounds if kind == "limit"]
    if limits and not any(text == "*" or not at_or_after(version, text, key) for text in limits):
        return UNAFFECTED
    # An insertion sort by "is at or after" needs nothing from the keys but their order.
    ordered = []
    for kind, text in sorted(bounds, key=lambda one: KINDS.index(one[0])):
        index = len(ordered)
        while index and not (text != "0" and at_or_after(text, ordered[index - 1][1], key)) and ordered[index - 1][1] != text:
            index -= 1
        ordered.insert(index, (kind, text))
    vulnerable = False
    for kind, text in ordered:
        if kind == "introduced" and at_or_after(version, text, key):
            vulnerable = True
        elif kind == "fixed" and at_or_after(version, text, key):
            vulnerable = False
        elif kind == "last_affected" and at_or_after(version, text, key) and key(version) != key(text):
            vulnerable = False
    return AFFECTED if vulnerable else UNAFFECTED


def in_entry(entry, version, key):
    """The verdict of one entry of `affected`."""
    versions = entry.get("versions") or []
    ranges = [one["events"] for one in entry.get("ranges") or [] if one["type"] in ("SEMVER", "ECOSYSTEM")]
    own = key(version)
    if version in versions or (own is not None and any(key(one) is not None and key(one) == own for one in versions)):
        return AFFECTED
    verdicts = {in_range(events, version, key) for events in ranges}
    if AFFECTED in verdicts:
        return AFFECTED
    unlike = own is not None or (numbers(version, 2) and all(sign(version, one) is not None for one in versions))
    if UNDECIDED in verdicts or not unlike or not (versions or ranges):
        return UNDECIDED
    return UNAFFECTED


def strongest(verdicts):
    return next((one for one in (AFFECTED, UNDECIDED) if one in verdicts), UNAFFECTED)


# --- Queries ---

SUFFIXES = {
    "PyPI": ["rc1", ".dev0", ".post1", "-1", "+local", ".0", "-custom"],
    "Packagist": ["-beta.1", "-dev", "-p1", "+build", ".0", ".x-dev", "-custom"],
}
SEMVER_SUFFIXES = ["-0", "-rc.1", "-alpha", "+build", ".0", ".1", "x"]


def around(text, ecosystem):
    """The version, its neighbours, pre-releases, and versions with suffixes."""
    yield text
    yield "v" + text
    number = re.match(r"(.*?)(\d+)(\D*)$", text, re.S)
    # The last number of the release, so that 1.2.3-rc.1 also gives 1.2.2 and 1.2.4.
    for match in filter(None, (number, re.match(r"(\D*(?:\d+\.)*)(\d+)", text))):
        for step in (-1, 1):
            if int(match[2]) + step >= 0:
                rest = match[3] if match is number else ""
                yield f"{match[1]}{int(match[2]) + step}{rest}"
    for suffix in SUFFIXES.get(ecosystem, SEMVER_SUFFIXES):
        yield text + suffix


ALWAYS = ["0", "0.0.0", "0.0.0-0", "99999.0.0", "latest", "dev-main"]


def folded(name, ecosystem):
    if ecosystem == "PyPI":
        return re.sub(r"[-_.]+", "-", name).lower()
    if ecosystem == "crates.io":
        return name.replace("-", "_")
    if ecosystem == "Go" and name == "std":
        return "stdlib"
    return name.lower() if ecosystem in ("npm", "Packagist", "NuGet", "Hex", "Go") else name


def main(ecosystem, path):
    key = cached(ORDERS[ecosystem])
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            record = json.loads(archive.read(member))
            packages = {}
            for entry in record.get("affected") or []:
                package = entry.get("package") or {}
                if package.get("ecosystem") == ecosystem:
                    packages.setdefault(folded(package["name"], ecosystem), []).append(entry)
            for entries in packages.values():
                queries = dict.fromkeys(ALWAYS)
                for entry in entries:
                    queries.update(dict.fromkeys(entry.get("versions") or []))
                    for events in (one["events"] for one in entry.get("ranges") or [] if one["type"] != "GIT"):
                        for text in {text for event in events for text in event.values()}:
                            queries.update(dict.fromkeys(around(text, ecosystem)))
                name = entries[-1]["package"]["name"]
                for version in queries:
                    verdict = strongest({in_entry(entry, version, key) for entry in entries})
                    verdict = UNAFFECTED if record.get("withdrawn") else verdict
                    print(json.dumps([record["id"], ecosystem, name, version, verdict]))


if __name__ == "__main__":
    main(*sys.argv[1:])
