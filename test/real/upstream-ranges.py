#!/usr/bin/env python3
"""Works out what is affected from every `affected` entry of a CVE list, by nothing but Python's standard library.

    test/real/upstream-ranges.py ../shared/feeds/cvelistv5/2024-10-24_all_CVEs.zip

prints one line of JSON a record: its id, then its entries (those of the CNA, then those of the ADPs) as lists of source,
vendor, product, default status, affected versions, affected ranges, patched versions; a range is introduced, fixed,
last affected, version type. It shares no code with the product on purpose: it is rule 24 read a second time, and
its comments are that rule's sentences.
"""
import json
import re
import sys
import urllib.parse
import zipfile

PLACEHOLDERS = {"n/a", "-", "unspecified", "unknown", "all", ""}

# A version within comparators: no further comparator, no list, no condition.
VERSION = r"(?!\()(?:(?!\s(?:and|or|if|on|with|when|except)\s|\s\()[^<>=,;|&])+"
TERMS = re.compile(rf"(?:all versions\s+)?(?:([<>]=?|==?)\s*({VERSION}?)\s*)(?:,?\s*([<>]=?)\s*({VERSION}))?", re.I)


def text(value):
    """Empty strings are null (rule 29)."""
    return value.strip() or None if isinstance(value, str) else None


def bounds_nothing(version):
    return version == "*" or version.lower() in PLACEHOLDERS


def beginning(version):
    """`introduced` is "0" where the start is `0`, `*` or a placeholder; "All versions" before a bound is dropped."""
    return "0" if bounds_nothing(version) or version.lower() == "all versions" else version


def span(start, end, inclusive):
    """(introduced, fixed, last affected), or None where neither end says anything."""
    if end is None or bounds_nothing(end):
        # Alone placeholders say nothing, but `*` and `all` alone mean a range from "0" without end.
        said = [one.lower() for one in (start, end) if one is not None]
        silent = all(one in PLACEHOLDERS and one != "all" for one in said)
        return None if silent else (beginning(start or ""), None, None)
    # A branch that is affected to its end (`5.8.*`) names no version that is fixed.
    if inclusive or end.endswith("*"):
        return beginning(start or ""), None, end
    return beginning(start or ""), end, None


def stated(version):
    """What a version alone states: None, a text, or a span."""
    if version == "*" or version.lower() == "all":
        return ("0", None, None)
    return None if version.lower() in PLACEHOLDERS else version


def upper_bound(bound, inclusive):
    """The comparator of a bound may stand within it once more; a bound with any other comparator is none."""
    written = re.fullmatch(r"(?:v?\d\S*\s+)?(<=?)\s*([^<>=]+)", bound)
    if written:
        return written[2], written[1] == "<="
    return (None, None) if re.search("[<>=]", bound) else (bound, inclusive)


def extent(version, bound, inclusive):
    """What a member of `versions[]` is about: None, a single version or other text, or a span."""
    end = None
    # Equal to `version`, or no bound: a single version.
    if bound is not None and bound != version:
        end, inclusive = upper_bound(bound, inclusive)
        if end is None:
            return f"{version} {bound}"
    if not re.search("[<>=]", version):
        return stated(version) if end is None else span(version, end, inclusive)
    # Comparators written into `version` are parsed into the range they state; other text stays as it is.
    terms = TERMS.fullmatch(version)
    if terms:
        found = [(terms[1], terms[2])] + ([(terms[3], terms[4])] if terms[3] else [])
        operators = [operator for operator, _ in found]
        if operators in (["="], ["=="]):
            return stated(found[0][1])
        lower = [one for operator, one in found if operator == ">="]
        upper = [(one, operator) for operator, one in found if operator in ("<", "<=")]
        if len(lower) <= 1 and len(upper) <= 1 and len(lower) + len(upper) == len(found):
            if upper and (end is None or not bounds_nothing(upper[0][0])):
                end, inclusive = upper[0][0], upper[0][1] == "<="
            return span(lower[0] if lower else None, end, inclusive)
    if end is not None and not bounds_nothing(end):
        return f"{version}, {'<=' if inclusive else '<'} {end}"
    return version


def purl_version(one):
    """A package URL states the version after its `@`, if that begins with a number. Other texts stay."""
    if one is None or not one.lower().startswith("pkg:"):
        return one
    path, at, version = re.split("[?#]", one)[0].rpartition("@")
    is_version = at and re.match("v?[0-9]", version, re.I) and "/" not in version and path[-1] != "/"
    return urllib.parse.unquote(version) if is_version else one


def is_address(one):
    return "://" in one or one.lower().startswith(("www.", "pkg:"))


def statement(member):
    """What a member of `versions[]` is about, and its changes. Addresses are no versions: the text stays."""
    version = purl_version(text(member.get("version"))) or ""
    less_than, at_most = (purl_version(text(member.get(one))) for one in ("lessThan", "lessThanOrEqual"))
    bound = less_than if less_than is not None else at_most
    changes = [(purl_version(text(one.get("at"))) or "", one.get("status")) for one in member.get("changes") or []]
    texts = [version, bound, *(at for at, _ in changes if is_address(at))]
    if any(map(is_address, filter(None, texts))):
        about = " ".join(dict.fromkeys(filter(None, texts)))
        return about, True, [one for one in changes if not is_address(one[0])]
    return extent(version, bound, less_than is None), False, changes


def claim(entry):
    versions, ranges, patched = {}, [], {}
    default = text(entry.get("defaultStatus"))
    first_affected, unaffected = None, []
    for member in entry.get("versions") or []:
        status = (text(member.get("status")) or "").lower()
        # Status `unknown` states nothing.
        if status not in ("affected", "unaffected"):
            continue
        about, has_address, changes = statement(member)
        kind = text(member.get("versionType"))
        changes = [one for one in changes if one[1] in ("affected", "unaffected") and not bounds_nothing(one[0])]
        if has_address:
            if status == "affected":
                versions[about] = True
            # Nothing is known up to an address, so nothing is open.
            replay(changes, None, (None, None), kind, ranges, patched)
            continue
        if about is not None:
            whole = about if isinstance(about, tuple) else (about, None, None)
            if status == "unaffected":
                unaffected.append((about, whole, kind))
            elif first_affected is None:
                first_affected = (whole[0], kind)
        if changes:
            introduced, fixed, last = whole if about is not None else ("0", None, None)
            replay(changes, introduced if status == "affected" else None, (fixed, last), kind, ranges, patched)
        # `unaffected` claims never become "affected".
        elif status == "affected":
            if isinstance(about, tuple):
                ranges.append((*about, kind))
            elif about is not None:
                versions[about] = True
    # Where everything is unaffected, that is the default.
    stated = entry.get("versions") or []
    all_unaffected = stated and all(
        one.get("status") == "unaffected" and all(x.get("status") == "unaffected" for x in one.get("changes", []))
        for one in stated
    )
    if all_unaffected and any(about == ("0", None, None) for about, _, _ in unaffected):
        return ["unaffected", list(versions) or None, ranges or None, list(patched) or None]
    # Where the default is `affected` and something is unaffected.
    if default == "affected" and unaffected:
        by_default(first_affected, unaffected, ranges, patched)
    return [default, list(versions) or None, ranges or None, list(patched) or None]


def replay(changes, since, end, kind, ranges, patched):
    """Literally, in order: `unaffected` ends a range (fixed), `affected` begins one."""
    for at, now in changes:
        if now == "affected":
            since = since if since is not None else at
        else:
            if since is None:
                patched[at] = True
            else:
                ranges.append((since, at, None, kind))
            since = None
    if since is not None and since != end[0]:
        ranges.append((since, *end, kind))


def by_default(first_affected, unaffected, ranges, patched):
    endings, after = [], None
    for about, (introduced, fixed, last), kind in unaffected:
        open_ended = isinstance(about, tuple) and fixed is None and last is None
        if introduced == "0":
            if open_ended:
                return
            # What is unaffected from the beginning does not become affected: the range begins where that ends.
            if isinstance(about, tuple) and after is None:
                after = (fixed, None)
            continue
        # An unaffected branch goes to `patched_versions`, and so does the fix that ends the range.
        patched[introduced] = True
        if open_ended:
            endings.append((introduced, kind))
    # The range begins at the first affected version (else "0"); an unaffected version with bound `*` ends it (fixed).
    introduced, begin_kind = first_affected or after or ("0", None)
    fixed, end_kind = endings[0] if endings else (None, None)
    # Where ranges are stated and nothing ends the default, `default_status` beside them says it.
    if fixed is None and (ranges or introduced is None):
        return
    if introduced != fixed and (introduced, fixed) not in [(one[0], one[1]) for one in ranges]:
        ranges.append((introduced, fixed, None, begin_kind or end_kind))


def entries(record):
    containers = record["containers"]
    named = [("cna", containers["cna"]), *(("adp", one) for one in containers.get("adp", []))]
    for source, container in named:
        for entry in container.get("affected", []):
            # Vendor or product `n/a` is null.
            names = [text(entry.get("vendor")), text(entry.get("product"))]
            yield [source, *(None if name and name.lower() == "n/a" else name for name in names), *claim(entry)]


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: upstream-ranges.py <zip of the CVE list>")
    with zipfile.ZipFile(sys.argv[1]) as archive:
        for member in archive.namelist():
            if re.search(r"/CVE-\d{4}-\d+\.json$", member):
                record = json.loads(archive.read(member))
                metadata = record["cveMetadata"]
                found = [] if metadata["state"] == "REJECTED" else list(entries(record))
                print(json.dumps([metadata["cveId"], found]))


if __name__ == "__main__":
    main()
