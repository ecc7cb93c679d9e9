#!/usr/bin/env python3
"""What changed between dated CVE lists, as a plain diff of the upstream records by nothing but the standard library.

    test/real/replay.py older_all_CVEs.zip newer_all_CVEs.zip ...

prints JSON: one object for each pair of neighbours, with the ids that came and went and, of each record that both have
and that differs, the facts that changed and, of whatever else differs, the paths. It shares no code with the product on
purpose; where a fact has to be read out of the record, the rule of the specification is cited. Texts count without the
blanks around them, empty ones as none.
"""
import json
import re
import sys
import zipfile
from collections import Counter
from datetime import datetime, timezone


def records(path):
    with zipfile.ZipFile(path) as archive:
        found = {}
        for name in archive.namelist():
            if re.search(r"/CVE-\d{4}-\d+\.json$", name):
                record = json.loads(archive.read(name))
                found[record["cveMetadata"]["cveId"]] = record
        return found


def text(value):
    return value.strip() or None if isinstance(value, str) else None


def moment(value):
    """A time without a zone is UTC (rule 29)."""
    if text(value) is None:
        return None
    time = datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
    time = time if time.tzinfo else time.replace(tzinfo=timezone.utc)
    return time.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def containers(record):
    """Source, short name and container: the CNA's, then those of the ADPs."""
    own = record.get("containers", {})
    if "cna" in own:
        yield "cna", text(own["cna"].get("providerMetadata", {}).get("shortName")), own["cna"]
    for container in own.get("adp", []):
        yield "adp", text(container.get("providerMetadata", {}).get("shortName")), container


def description(record):
    """The first English one, else the first (rule 29), of the first container that has any."""
    for _, _, container in containers(record):
        stated = [one for one in container.get("descriptions", []) if text(one.get("value"))]
        english = [one for one in stated if one.get("lang", "").lower()[:2] == "en"]
        if stated:
            return text((english or stated)[0]["value"])
    return None


def title(record):
    return text(record.get("containers", {}).get("cna", {}).get("title"))


def workaround(record):
    cna = record.get("containers", {}).get("cna", {})
    return any(text(one.get("value")) for one in cna.get("workarounds", []))


def others(record, kind):
    """What the ADPs hang into `other` of a metric."""
    for source, _, container in containers(record):
        for metric in container.get("metrics", []):
            if source == "adp" and metric.get("other", {}).get("type") == kind:
                yield metric["other"]["content"]


def ssvc(record):
    """The newest assessment; of equally old ones the first."""
    newest = None
    for content in others(record, "ssvc"):
        stated = moment(content.get("timestamp")) or ""
        if newest is None or stated > newest[0]:
            newest = (stated, {key: value.lower() for one in content.get("options", []) for key, value in one.items()})
    points = ("Exploitation", "Automatable", "Technical Impact")
    return newest and {point: newest[1].get(point) for point in points}


def kev(record):
    return next((content["dateAdded"] for content in others(record, "kev")), None)


def cvss(record):
    """Every score with its container; the four keys of CVE JSON 5."""
    found = []
    for source, name, container in containers(record):
        for metric in container.get("metrics", []):
            for key in ("cvssV4_0", "cvssV3_1", "cvssV3_0", "cvssV2_0"):
                if key in metric:
                    stated = metric[key]
                    found.append(
                        {
                            "container": source,
                            "name": name,
                            "version": key[5:].replace("_", "."),
                            "score": stated["baseScore"],
                            "severity": stated.get("baseSeverity"),
                            "vector": stated["vectorString"],
                        }
                    )
    return found


def weaknesses(record):
    """Ids, and what only the text names (rule 21), of all containers."""
    found = set()
    for _, _, container in containers(record):
        for problem in container.get("problemTypes", []):
            for one in problem.get("descriptions", []):
                stated = re.fullmatch(r"CWE-0*(\d+)", text(one.get("cweId")) or "", re.I)
                named = [stated[1]] if stated else re.findall(r"\bCWE[-\s:]{0,3}0*(\d+)\b", one.get("description", ""), re.I)
                found |= {f"cwe-{number}" for number in named}
    return sorted(found)


def references(record):
    """By URL: the first name, all tags, and whose; the mark of a copy is no tag (rule 30)."""
    found = {}
    # The programme's container copies what the CNA refers to, so it comes with the CNA's (rule 30).
    order = sorted(containers(record), key=lambda one: one[0] == "adp" and one[1] != "CVE")
    for source, name, container in order:
        for one in container.get("references", []):
            item = found.setdefault(one["url"].strip(), {"name": None, "tags": [], "sources": []})
            owner = "cna" if name == "CVE" else source
            if owner not in item["sources"]:
                item["sources"].append(owner)
            item["name"] = item["name"] or text(one.get("name"))
            for tag in one.get("tags", []):
                if tag != "x_transferred" and tag not in item["tags"]:
                    item["tags"].append(tag)
    return found


def affected(record):
    """The entries as they stand, in the order of the record."""
    return [
        {"container": source, "entry": entry}
        for source, _, container in containers(record)
        for entry in container.get("affected", [])
    ]


SINGLE = {
    "state": lambda record: record["cveMetadata"]["state"],
    "published": lambda record: moment(record["cveMetadata"].get("datePublished")),
    "updated": lambda record: moment(record["cveMetadata"].get("dateUpdated")),
    "assigner": lambda record: text(record["cveMetadata"].get("assignerShortName")),
    "title": title,
    "description": description,
    "workaround": workaround,
    "ssvc": ssvc,
    "kev": kev,
}


def leaves(value, path, found):
    """Values by path, the indexes of lists left out."""
    if isinstance(value, dict):
        for key, child in value.items():
            leaves(child, f"{path}.{key}", found)
    elif isinstance(value, list):
        for child in value:
            leaves(child, f"{path}[]", found)
    else:
        found.setdefault(path, []).append(value)
    return found


# Which facts speak for a path; of a path that none of the changed facts speaks for it is said that it differs.
SPOKEN_FOR = [
    (r"\$\.cveMetadata\.state$", {"state"}),
    (r"\$\.cveMetadata\.datePublished$", {"published"}),
    (r"\$\.cveMetadata\.dateUpdated$", {"updated"}),
    (r"\$\.cveMetadata\.assignerShortName$", {"assigner"}),
    (r"\$\.containers\.cna\.title$", {"title"}),
    (r"\$\.containers\.(cna|adp\[\])\.descriptions\[\]\.(lang|value)$", {"description"}),
    (r"\$\.containers\.(cna|adp\[\])\.metrics\[\]\.cvssV\w+\.(version|baseScore|baseSeverity|vectorString)$", {"cvss"}),
    (r"\$\.containers\.adp\[\]\.metrics\[\]\.other\.content\.options\[\]", {"ssvc"}),
    (r"\$\.containers\.adp\[\]\.metrics\[\]\.other\.content\.dateAdded$", {"kev"}),
    (r"\$\.containers\.(cna|adp\[\])\.problemTypes\[\]\.descriptions\[\]\.(cweId|description)$", {"cwe"}),
    (r"\$\.containers\.(cna|adp\[\])\.references\[\]\.(url|name|tags\[\])$", {"reference"}),
    (r"\$\.containers\.(cna|adp\[\])\.affected\[\]", {"affected"}),
    (r"\$\.containers\.cna\.workarounds\[\]\.value$", {"workaround"}),
]


def other_paths(old, new, facts):
    before, after = leaves(old, "$", {}), leaves(new, "$", {})
    changed = {fact["fact"] for fact in facts}
    differing = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    return [
        path
        for path in differing
        if not any(re.match(pattern, path) and kinds & changed for pattern, kinds in SPOKEN_FOR)
    ]


def without(these, those):
    """What of a list another does not have, as often as it does not; equal is what prints equally."""
    left = Counter(json.dumps(one, sort_keys=True) for one in those)
    rest = []
    for one in these:
        printed = json.dumps(one, sort_keys=True)
        if left[printed] > 0:
            left[printed] -= 1
        else:
            rest.append(one)
    return rest


def changed_facts(old, new):
    facts = []
    for fact, read in SINGLE.items():
        before, after = read(old), read(new)
        if before != after:
            facts.append({"fact": fact, "old": before, "new": after})
    for fact, read in (("cvss", cvss), ("affected", affected), ("cwe", weaknesses)):
        before, after = read(old), read(new)
        facts += [{"fact": fact, "old": one, "new": None} for one in without(before, after)]
        facts += [{"fact": fact, "old": None, "new": one} for one in without(after, before)]
    before, after = references(old), references(new)
    for url in [*after, *(url for url in before if url not in after)]:
        if before.get(url) != after.get(url):
            facts.append({"fact": "reference", "url": url, "old": before.get(url), "new": after.get(url)})
    return facts


def compared(older, newer):
    changed = {}
    for cve_id in sorted(older.keys() & newer.keys()):
        old, new = older[cve_id], newer[cve_id]
        if old != new:
            facts = changed_facts(old, new)
            changed[cve_id] = {
                "titled": title(old) is not None and title(new) is not None,
                "updated": moment(new["cveMetadata"].get("dateUpdated")),
                "facts": facts,
                "other": other_paths(old, new, facts),
            }
    return {
        "added": sorted(newer.keys() - older.keys()),
        "removed": sorted(older.keys() - newer.keys()),
        "same": len(older.keys() & newer.keys()) - len(changed),
        "changed": changed,
    }


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: replay.py <CVE list zip> <newer CVE list zip>...")
    lists = [records(path) for path in sys.argv[1:]]
    json.dump([compared(older, newer) for older, newer in zip(lists, lists[1:])], sys.stdout)


main()
