#!/usr/bin/env python3
"""Evaluates the affected products of every record by brute force: the oracle of the matching of CPE names.

    test/real/cpe-verdicts.py cve ../shared/feeds/cvelistv5/2024-10-24_all_CVEs.zip
    test/real/cpe-verdicts.py nvd ../shared/feeds/nvd/nvdcve-2.0-sample.json.gz

Prints one line of JSON per record, product and question: id, vendor, product, the attributes of the CPE name after the
product, verdict (`affected`, `unaffected` or `undecided`). Products are keys: lower case, `_` for blanks. The questions
are the versions that the statements name, and neighbours of them. Statements are read from upstream's files, so the
oracle knows more than a record: which range belongs to which CPE, and where an unaffected branch ends. It shares no code
with the product on purpose; versions of the CVE list are read by `upstream-ranges.py`.
"""
import gzip
import itertools
import json
import os
import re
import runpy
import sys
import zipfile

sys.dont_write_bytecode = True
from upstream_names import joined, listed  # noqa: E402

AFFECTED, UNAFFECTED, UNDECIDED, SILENT = "affected", "unaffected", "undecided", "silent"
HERE = os.path.dirname(os.path.abspath(__file__))
ranges_of = runpy.run_path(os.path.join(HERE, "upstream-ranges.py"))
text, statement, claim = (ranges_of[name] for name in ("text", "statement", "claim"))

ANY, NA = "*", "-"
BOUNDS = ("versionStartIncluding", "versionStartExcluding", "versionEndIncluding", "versionEndExcluding")


# --- Versions: None is "undecided" ---


def parts(version):
    return re.sub(r"\s+", "_", re.sub(r"^v(?=\d)", "", version.strip().lower())).split(".")


CANDIDATE = r"(?<=[0-9])[-_~]?rc[-_]?([0-9]+)$"


def number(part, is_last):
    """The number that a component begins with. None where text follows that may be a commit, a branch or a version."""
    if re.fullmatch("[0-9a-f]{7,}", part) and re.search("[a-f]", part):
        return None
    if not is_last and re.fullmatch("[0-9]+-v?[0-9]+", part):
        return None
    found = re.match("[0-9]+", part)
    rest = part[found.end():] if found else None
    if not found or re.fullmatch("x+", rest):
        return None
    # Letters with a number, then anything after a separator.
    rest = re.sub("^[a-z]+[0-9]*", "", rest)
    return int(found[0]) if rest == "" or rest[0] in "-_+~(" else None


def order_of_parts(x, y, last_x, last_y):
    a, b = number(x, last_x), number(y, last_y)
    if a is None or b is None:
        return None
    if a != b:
        return -1 if a < b else 1
    # A release candidate precedes its release.
    ranks = []
    for one in (x, y):
        candidate = re.fullmatch("[0-9]+[-_~]?rc[-_]?([0-9]+)", one)
        ranks.append(int(candidate[1]) if candidate else float("inf") if one.isdecimal() else None)
    return None if None in ranks else (ranks[0] > ranks[1]) - (ranks[0] < ranks[1])


def order(a, b, length=None):
    """-1, 0, 1 or None: the first components that differ decide, by their numbers. Absent ones are 0."""
    a, b = parts(a), parts(b)
    length = length or max(len(a), len(b))
    filled = (one[:length] + ["0"] * (length - len(one)) for one in (a, b))
    for i, (x, y) in enumerate(zip(*filled)):
        if x != y:
            result = order_of_parts(x, y, i >= len(a) - 1, i >= len(b) - 1)
            if result != 0:
                return result
    return 0


def order_to_branch(version, prefix):
    """As `order`; a release candidate may be before the branch or in it."""
    result = order(version, prefix, len(parts(prefix)))
    released = ".".join(re.sub(CANDIDATE, "", one) for one in parts(version))
    return None if result != 0 and order(released, prefix, len(parts(prefix))) == 0 else result


def branch(bound):
    match = re.fullmatch(r"(v?\d+(?:\.\d+)*)\.(?:\*|x+)", bound.strip(), re.I | re.A)
    return match and match[1]


def against(question, bound):
    """The version of a question against a bound. An update may be before or after its version."""
    version, update = question
    prefix = branch(bound)
    if prefix:
        result = order_to_branch(version, prefix)
        return None if result == 0 and update and len(parts(version)) <= len(parts(prefix)) else result
    if update and re.fullmatch("rc[-_]?[0-9]+", update, re.I):
        return order(f"{version}-{update}", bound)
    if update and 0 in (order(version, bound), order(version, re.sub(CANDIDATE, "", bound.lower()))):
        return None
    return order(version, bound)


def both(*tests):
    return False if False in tests else None if None in tests else True


def within(question, start, fixed, last, exclusive=False):
    """Whether a span contains the version. `0` and None as a start precede everything."""
    if (start, fixed, last) == ("0", None, None):
        return True
    tests = [True]
    for bound, passes in (
        (None if start == "0" else start, (1,) if exclusive else (0, 1)),
        (fixed, (-1,)),
        (last, (-1, 0)),
    ):
        if bound is not None:
            result = against(question, bound)
            tests.append(None if result is None else result in passes)
    return both(*tests)


def spelled(statement, question):
    """The version in any case, with the update after it."""
    version, update = question
    plain = lambda one: re.sub(r"\s+", "_", re.sub(r"^v(?=\d)", "", one.strip().lower()))
    return plain(statement) in [plain(version + joint + update) for joint in ("", "-", ".", "_")] if update else plain(statement) == plain(version)


def is_single(statement, question):
    """Whether a version that is listed alone is the one of the question."""
    after = re.fullmatch(r">\s*([^\s,<>=]+)(?:,\s*<(=?)\s*([^\s,<>=]+))?", statement)
    if after:
        return within(question, after[1], None if after[2] else after[3], after[3] if after[2] else None, exclusive=True)
    prefix = branch(statement)
    if prefix:
        result = order_to_branch(question[0], prefix)
        return None if result is None else result == 0
    if spelled(statement, question):
        return True
    plain = re.fullmatch(r"v?\d([\w.:()-]|[+~](?=[a-z]))*", statement, re.I | re.A)
    # A hyphen between two versions, or a dot at the end, may mean a range.
    if not plain or re.search(r"\d-v?\d+\.\d", statement, re.I | re.A) or statement.endswith("."):
        return None
    same = order(question[0], statement) == 0
    if question[1]:
        return None if same or statement.lower().startswith(question[0].lower()) else False
    return same


def is_commit(statement):
    return re.fullmatch("[0-9a-f]{12,64}", statement, re.I) and re.search("[a-f]", statement, re.I)


# --- The CVE list ---


def is_evaluated(one):
    """Commits have no order, whatever the type of the versions is."""
    *bounds, kind = one
    return (kind or "").lower() != "git" and not any(bound and is_commit(bound) for bound in bounds)


def follows(version, fix):
    """Whether a later version is in the branch of a fix that is stated alone."""
    numbers = parts(fix)
    inside = order_to_branch(version, fix)
    if inside == 0:
        return True
    shorter = order_to_branch(version, ".".join(numbers[:-1]) or fix)
    if len(numbers) > 2:
        return None if shorter is None else shorter == 0
    return False if shorter not in (0, None) else None


def excluded(entry, patched, default, question):
    """Whether a version in an affected range is stated as unaffected."""
    found = [False]
    for one in patched:
        if spelled(one, question) or against(question, one) == 0:
            return True
    if default != "affected":
        return False
    for member in entry.get("versions") or []:
        if (text(member.get("status")) or "").lower() != "unaffected":
            continue
        about, has_address, _ = statement(member)
        if has_address:
            continue
        if isinstance(about, tuple):
            found.append(within(question, *about))
        elif about is not None:
            after = against(question, about)
            later = None if after is None else after > 0 and follows(question[0], about)
            found.append(later)
    return True if True in found else None if None in found else False


def entry_verdict(entry, read, question, fixed_versions):
    default, versions, ranges, patched = read
    if versions is None and ranges is None:
        if default == "affected":
            return UNDECIDED if patched or question[0] == ANY else AFFECTED
        return UNAFFECTED if default == "unaffected" else SILENT
    ranges = [one for one in ranges or [] if is_evaluated(one)]
    versions = [one for one in versions or [] if not is_commit(one)]
    if not ranges and not versions:
        return SILENT
    if question[0] == ANY:
        return UNDECIDED
    if question[0] == NA:
        return AFFECTED if any(one[:3] == ("0", None, None) for one in ranges) else contradiction(default, patched, ranges)
    results = [is_single(one, question) for one in versions]
    # A version that any entry states as fixed is not affected for certain.
    if True in results and any(order(question[0], one) == 0 for one in fixed_versions):
        results = [None if one else one for one in results]
    for start, fixed, last, _ in ranges:
        inside = within(question, start, fixed, last)
        if inside:
            out = excluded(entry, patched or [], default, question)
            inside = None if out is None else not out
        results.append(inside)
    if True in results:
        return AFFECTED
    if None in results:
        return UNDECIDED
    return contradiction(default, patched, ranges)


def contradiction(default, patched, ranges):
    """Everything is affected by default, nothing is unaffected, and yet versions are listed."""
    listed = default == "affected" and not patched and all(fixed or last for _, fixed, last, _ in ranges)
    return UNDECIDED if listed else UNAFFECTED


def key(name):
    name = (text(name) or "").lower()
    return None if name in ("n/a", "*", "") else re.sub(r"\s+", "_", name)


def attributes(cpe):
    """The eleven attributes of a formatted string, unescaped and in lower case; None unless it has eleven."""
    if not isinstance(cpe, str) or not cpe.startswith("cpe:2.3:"):
        return None
    values = re.findall(r"(?:[^:\\]|\\.)+", cpe[len("cpe:2.3:"):], re.S)
    return [value.lower() for value in values] if len(values) == 11 else None


def plain(value):
    return re.sub(r"\\(.)", r"\1", value, flags=re.S)


def named(entry):
    """The products that an entry names, by its names or by its CPEs, each with its keys."""
    names = listed(text(entry.get("vendor")), text(entry.get("product")))
    pairs = [(key(entry.get("vendor")), key(name)) for name in names]
    for cpe in entry.get("cpes") or []:
        values = attributes(text(cpe))
        if values and not {values[1], values[2]} & {ANY, NA}:
            pairs.append((key(plain(values[1])), key(plain(values[2]))))
    return {joined(*pair): pair for pair in pairs if None not in pair}


def applicable(container):
    """`cpeApplicability`, in NVD's form: each vulnerable match with its attributes, as an entry and what it states."""
    for configuration in container.get("cpeApplicability") or []:
        nodes = configuration.get("nodes") or []
        if configuration.get("negate") is True or any(node.get("negate") is True for node in nodes):
            continue
        for match in (match for node in nodes for match in node.get("cpeMatch") or []):
            values = attributes(text(match.get("criteria")))
            if not values or match.get("vulnerable") is not True:
                continue
            including, excluding, last, fixed = (text(match.get(one)) for one in BOUNDS)
            last = None if fixed else last
            versions, ranges = [], []
            if excluding and not including:
                end = f", < {fixed}" if fixed else f", <= {last}" if last else ""
                versions.append(f"> {excluding}{end}")
            elif including or fixed or last or values[3] == ANY:
                ranges.append((including or "0", fixed, last, None))
            elif values[3] != NA:
                update = [] if values[4] in (ANY, NA) else [plain(values[4])]
                versions.append("-".join([plain(values[3]), *update]))
            patched = [fixed] if versions and fixed else None
            near = [{"version": one} for one in (including, excluding, last, fixed, None if values[3] in (ANY, NA) else plain(values[3])) if one]
            yield (key(plain(values[1])), key(plain(values[2]))), {"versions": near}, [None, versions or None, ranges or None, patched]


def record_verdict(verdicts):
    """An entry that states nothing counts only alone."""
    stated = [one for one in verdicts if one != SILENT]
    return next((one for one in (AFFECTED, UNDECIDED) if one in stated), UNAFFECTED if stated else UNDECIDED)


def around(statement):
    yield statement
    yield statement + ".1"
    yield statement + "-rc1"
    number = re.match(r"(.*?)(\d+)(\D*)$", statement, re.S)
    for step in (-1, 1):
        if number and int(number[2]) + step >= 0:
            yield f"{number[1]}{int(number[2]) + step}{number[3]}"
    if number:
        yield f"{number[1]}{int(number[2]) + 1}.0"


def written(version):
    """A version as an attribute of a formatted string. None if CPE cannot express it."""
    if version in (ANY, NA):
        return version
    version = re.sub(r"\s+", "_", version.strip())
    if not version or not re.fullmatch("[!-~]+", version):
        return None
    return re.sub(r"([^\w.-])", r"\\\1", version, flags=re.A) if version != NA else "\\-"


MOST_VERSIONS = 60
ALWAYS = [ANY, NA, "0", "1.0", "99999.0", "vista"]


def questions(entries):
    for entry in entries:
        for member in entry.get("versions") or []:
            stated = [member.get("version"), member.get("lessThan"), member.get("lessThanOrEqual")]
            stated += [one.get("at") for one in member.get("changes") or []]
            for one in filter(None, map(text, stated)):
                one = re.sub(r"^[<>=]+\s*", "", one)
                if len(one) < 80:
                    yield from around(one)


def cve_list(path):
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        # Every fourth record of a large list, by its number.
        step = 4 if len(names) > 5000 else 1
        for member in names:
            number = re.search(r"/CVE-\d{4}-(\d+)\.json$", member)
            if not number or int(number[1]) % step:
                continue
            record = json.loads(archive.read(member))
            if record["cveMetadata"]["state"] == "REJECTED":
                continue
            containers = record["containers"]
            products, keys = {}, {}
            for container in (containers["cna"], *containers.get("adp", [])):
                for entry in container.get("affected", []):
                    for product, pair in named(entry).items():
                        keys.setdefault(product, pair)
                        products.setdefault(product, []).append((entry, claim(entry)))
                for pair, entry, read in applicable(container):
                    if None not in pair:
                        keys.setdefault(joined(*pair), pair)
                        products.setdefault(joined(*pair), []).append((entry, read))
            for product, reads in products.items():
                entries = [entry for entry, _ in reads]
                # Records of the CVE list can name hundreds of versions.
                versions = dict.fromkeys([*ALWAYS, *itertools.islice(questions(entries), MOST_VERSIONS)])
                asked = dict.fromkeys((one, None) for one in versions)
                asked.update(dict.fromkeys((one, "rc1") for one in list(versions)[2:4] + list(versions)[len(ALWAYS):][:4]))
                ends = {one[1] for _, read in reads for one in read[2] or [] if one[1] and is_evaluated(one)}
                for version, update in asked:
                    name = written(version)
                    if name is None:
                        continue
                    # A blank is `_` in a name.
                    question = (version if version in (ANY, NA) else plain(name).lower(), update)
                    verdict = record_verdict([entry_verdict(entry, read, question, ends) for entry, read in reads])
                    rest = f"{name}:{update or ANY}:*:*:*:*:*:*"
                    yield record["cveMetadata"]["cveId"], *keys[product], "*", rest, verdict


# --- NVD ---

def bare(value):
    return re.sub(r"\\([\w.-])", r"\1", value, flags=re.A) if value not in ("\\-",) else value


def common(a, b):
    """Whether two values of an attribute, none with wildcards, have something in common."""
    return ANY in (a, b) or bare(a) == bare(b)


def match_verdict(match, asked):
    """One CPE match of a configuration against eleven attributes."""
    own = attributes(match["criteria"])
    if not all(common(x, y) for i, (x, y) in enumerate(zip(own, asked)) if i not in (1, 2, 3)):
        return "other"
    bounds = [text(match.get(one)) for one in BOUNDS]
    version = asked[3]
    if version == ANY:
        return UNDECIDED
    if own[3] != ANY:
        numeric = NA not in (own[3], version) and order(plain(own[3]), plain(version)) == 0
        return AFFECTED if bare(own[3]) == bare(version) or numeric else UNAFFECTED
    if not any(bounds):
        return AFFECTED
    if version == NA:
        return UNAFFECTED
    question = (plain(version), None if asked[4] in (ANY, NA) else plain(asked[4]))
    including, excluding, last, fixed = bounds
    start = including or excluding or "0"
    inside = within(question, start, fixed, None if fixed else last, exclusive=not including and bool(excluding))
    return {True: AFFECTED, False: UNAFFECTED, None: UNDECIDED}[inside]


def nvd(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        records = [one["cve"] for one in json.load(file)["vulnerabilities"]]
    for record in records:
        products = {}
        for configuration in record.get("configurations") or []:
            for node in configuration["nodes"]:
                for match in node["cpeMatch"]:
                    if match["vulnerable"]:
                        values = attributes(match["criteria"])
                        products.setdefault((values[1], values[2]), []).append(match)
        for (vendor, product), matches in products.items():
            asked = {}
            for match in matches:
                own = attributes(match["criteria"])
                stated = [own[3], *filter(None, (text(match.get(one)) for one in BOUNDS))]
                versions = [*ALWAYS, *(near for one in stated if one not in (ANY, NA) for near in around(plain(one)))]
                for version in filter(None, map(written, versions)):
                    version = version.lower()
                    for update in {own[4], ANY, NA, "rc1"}:
                        rest = own[5:]
                        asked[("*", version, update, *[ANY] * 6)] = True
                        asked[(own[0], version, update, *rest)] = True
                        asked[(own[0], version, update, *rest[:3], "joomla\\!", *rest[4:])] = True
                        asked[(own[0], version, update, *rest[:2], "lts", *rest[3:])] = True
                asked[("h" if own[0] == "a" else "a", "1.0", *[ANY] * 7)] = True
            for part, *rest in asked:
                verdicts = [match_verdict(one, [part, vendor, product, *rest]) for one in matches]
                verdict = next((one for one in (AFFECTED, UNDECIDED) if one in verdicts), UNAFFECTED)
                yield record["id"], key(plain(vendor)), key(plain(product)), part, ":".join(rest), verdict


if __name__ == "__main__":
    for answer in {"cve": cve_list, "nvd": nvd}[sys.argv[1]](sys.argv[2]):
        print(json.dumps(answer))
