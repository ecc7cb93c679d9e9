#!/usr/bin/env python3
"""What the API must say of every record, taken from the upstream files by nothing but Python's standard library.

    test/real/upstream-fields.py ../shared/feeds

prints a line of JSON for each served record: the fields of its summary, and of its sections what can be told without
the rules on version ranges. It shares no code with the product on purpose; the rules are those of the specification,
cited where they are needed. What it takes: upstream_feeds.py.
"""
import json
import re
import sys

sys.dont_write_bytecode = True
import upstream_feeds as upstream  # noqa: E402
from upstream_feeds import SOURCES, text, timestamp  # noqa: E402
from upstream_scores import band, headline, metrics_of, shown_metric  # noqa: E402

# Exploitation, automatable, technical impact; the column of a medium mission (rule 20).
DECISIONS = {
    ("none", "no", "partial"): "track",
    ("none", "no", "total"): "track",
    ("none", "yes", "partial"): "track",
    ("none", "yes", "total"): "track",
    ("poc", "no", "partial"): "track",
    ("poc", "no", "total"): "track*",
    ("poc", "yes", "partial"): "track",
    ("poc", "yes", "total"): "track*",
    ("active", "no", "partial"): "track",
    ("active", "no", "total"): "attend",
    ("active", "yes", "partial"): "attend",
    ("active", "yes", "total"): "act",
}


def unique(values):
    return list(dict.fromkeys(values))


def is_program(container):
    """The CVE Program Container, whose references count as the CNA's (rule 30)."""
    return container["providerMetadata"].get("shortName") == "CVE" and "Program Container" in container.get("title", "")


def container_weaknesses(container):
    """One that is only named in the text counts (rule 21)."""
    for problem in container.get("problemTypes", []):
        for said in problem.get("descriptions", []):
            named = said.get("cweId") or said.get("description") or ""
            yield from (int(number) for number in re.findall(r"CWE[- ](\d+)", named, re.IGNORECASE))


def nvd_weaknesses(cve, kinds):
    for weakness in (cve or {}).get("weaknesses", []):
        if weakness["type"] in kinds:
            for said in weakness["description"]:
                if re.match(r"CWE-\d+$", said["value"]):
                    yield int(said["value"][4:])


def exploits(feeds):
    """By CVE: source, id, kind of evidence, its rank, confidence, link (rule 23)."""
    found = {}
    for module in upstream.framework(feeds):
        kind = ("weaponized_exploit", 60) if module["type"] == "exploit" else ("poc_public", 40)
        url = "https://github.com/rapid7/metasploit-framework/blob/master" + module["path"]
        for cve_id in unique(module.get("references") or []):
            found.setdefault(cve_id, []).append(["exploit_framework", module["fullname"], *kind, "high", url])
    for row in upstream.archive(feeds):
        confidence = "high" if row["verified"] == "1" else "medium"
        url = f"https://www.exploit-db.com/exploits/{row['id']}"
        for cve_id in unique(row["codes"].split(";")):
            found.setdefault(cve_id, []).append(["exploit_archive", row["id"], "poc_public", 40, confidence, url])
    return found


def link(url):
    """GitHub names a few repositories without a scheme (`github.com/owner/name`): a link needs one."""
    return f"https://{url}" if re.match(r"[\w-]+(\.[\w-]+)+/", url) else url


def references(claims):
    """One item for each URL, with its sources and tags (rule 30)."""
    found = {}
    for source, items in claims:
        for item in items:
            url = link(item["url"].strip())
            if not re.match(r"https?://[^\s/?#]", url, re.IGNORECASE):
                continue
            sources, tags = found.setdefault(url, (set(), set()))
            sources.add(source)
            tags.update((source, tag) for tag in item.get("tags", []))
    return found


def ssvc_points(adps):
    """Of the last assessment; null while there is none (rule 20)."""
    said = [item["other"]["content"] for adp in adps for item in adp.get("metrics", []) if is_ssvc(item)]
    if not said:
        return None, {"exploitation": None, "automatable": None, "technical_impact": None, "decision": None}
    options = {name: value.lower() for option in said[-1]["options"] for name, value in option.items()}
    points = options.get("Exploitation"), options.get("Automatable"), options.get("Technical Impact")
    names = "exploitation", "automatable", "technical_impact", "decision"
    return points[0], dict(zip(names, (*points, DECISIONS.get(points))))


def is_ssvc(item):
    return item.get("other", {}).get("type") == "ssvc"


def description(cna):
    """The first English one, else the first (rule 29)."""
    said = cna.get("descriptions", [])
    english = [one for one in said if re.match(r"en(?![a-z])", one["lang"], re.IGNORECASE)]
    first = (english + said)[0]["value"] if said else None
    return text(first) if first else None


def primary_weakness(named, catalog):
    """One of the catalog goes before one that is not (rule 21)."""
    known = [number for number in named if number in catalog]
    return f"cwe-{(known or named)[0]}" if named else None


def title(cna, weakness, catalog):
    """The CNA's, else made of vendor, product and weakness; None unless all three are stated (rule 19)."""
    if text(cna.get("title")):
        return text(cna["title"])
    first = (cna.get("affected") or [{}])[0]
    names = [text(first.get(key)) for key in ("vendor", "product")]
    vendor, product = [None if name and name.lower() == "n/a" else name for name in names]
    repeated = vendor and product and re.match(re.escape(vendor) + r"(?![^\W_])", product, re.IGNORECASE)
    if repeated:
        vendor = None
    named = catalog.get(int(weakness[4:])) if weakness else None
    if not (product and named and (vendor or repeated)):
        return None
    return f"{' '.join(name for name in (vendor, product) if name)}: {named}"


def evidence(cve_id, exploitation, cited, feeds):
    """Source, kind, confidence, rank, and the link unless it is ours to choose; no mitigations (rule 23)."""
    found = []
    if cve_id in feeds["kev"]:
        found.append(["agency_kev", "kev_listed", "confirmed", 80, None])
    if exploitation == "active":
        found.append(["agency_adp", "ssvc_active", "confirmed", 80, None])
    if exploitation == "poc":
        found.append(["agency_adp", "poc_public", "high", 40, None])
    for source, _, kind, rank, confidence, url in feeds["exploits"].get(cve_id, []):
        found.append([source, kind, confidence, rank, url])
    for url, (_, tags) in cited.items():
        for source in SOURCES:
            if any(by == source and tag.lower() == "exploit" for by, tag in tags):
                found.append([source, "poc_public", "medium", 40, url])
    for repository in feeds["pocs"].get(cve_id, []):
        found.append(["code_host_poc_search", "poc_public", "low", 40, repository["html_url"]])
    exploited = bool(found)
    if cve_id in feeds["templates"]:
        url = "https://github.com/projectdiscovery/nuclei-templates/blob/main/" + feeds["templates"][cve_id]
        found.append(["template_scanner", "detection_template", "high", None, url])
    return exploited, found


def products(cve):
    """NVD's products: each CPE that it marks as vulnerable, whatever the version."""
    nodes = (node for configuration in (cve or {}).get("configurations", []) for node in configuration["nodes"])
    matches = (match for node in nodes for match in node["cpeMatch"] if match["vulnerable"])
    return {tuple(match["criteria"].split(":")[2:5]) for match in matches}


def fields(record, feeds):
    metadata, cna = record["cveMetadata"], record["containers"]["cna"]
    cve_id, updated = metadata["cveId"], timestamp(metadata.get("dateUpdated"))
    assigner = text(metadata.get("assignerShortName"))
    others = record["containers"].get("adp", [])
    program = [other for other in others if is_program(other)]
    adps = [other for other in others if not is_program(other)]
    of_nvd = feeds["nvd"].get(cve_id)
    linked, entries = feeds["advisories"].get(cve_id, []), feeds["osv"].get(cve_id, [])

    metrics = metrics_of(cna, adps, of_nvd, linked, assigner, updated)
    best = headline(metrics)

    stated = [number for container in [cna, *adps] for number in container_weaknesses(container)]
    of_advisories = [int(cwe[4:]) for one in linked for cwe in one.get("database_specific", {}).get("cwe_ids", [])]
    mapped = {*stated, *nvd_weaknesses(of_nvd, ("Primary", "Secondary")), *of_advisories}

    claims = [("cna", one.get("references", [])) for one in [cna, *program]]
    claims += [("adp", one.get("references", [])) for one in adps]
    claims += [("nvd", (of_nvd or {}).get("references", []))]
    claims += [("advisory", one.get("references", [])) for one in linked]
    claims += [("osv", one.get("references", [])) for one in entries]
    cited = references(claims)
    weakness = primary_weakness([*stated, *nvd_weaknesses(of_nvd, ("Primary",))], feeds["weaknesses"])
    exploitation, ssvc = ssvc_points(adps)
    exploited, shown = evidence(cve_id, exploitation, cited, feeds)
    tags = {tag.lower() for _, tagged in cited.values() for _, tag in tagged}
    counts = {
        "cna": len(cna.get("affected", [])),
        "adp": sum(len(adp.get("affected", [])) for adp in adps),
        "nvd": len(products(of_nvd)),
        "advisory": sum(len(one["affected"]) for one in linked),
        "osv": sum(len(one["affected"]) for one in entries),
    }
    return {
        "cve_id": cve_id,
        "state": metadata["state"],
        "title": title(cna, weakness, feeds["weaknesses"]),
        "description": description(cna),
        "severity": best and band(best["version"], best["score"]),
        "cvss_score": best and best["score"],
        "cvss_score_source": best and (best["name"] if best["source"] == "adp" else best["source"]),
        "date_published": timestamp(metadata.get("datePublished")),
        "date_updated": updated,
        "assigner": assigner,
        "kev": {"listed": cve_id in feeds["kev"], "date_added": feeds["kev"].get(cve_id)},
        "ssvc": ssvc,
        "epss": feeds["epss"].get(cve_id, {"score": None, "percentile": None, "date": None}),
        "has_workaround": bool(cna.get("workarounds")) or "mitigation" in tags,
        "has_exploit": exploited,
        "has_detection": cve_id in feeds["templates"],
        "primary_cwe_id": weakness,
        "weaknesses": [f"cwe-{number}" for number in sorted(mapped)],
        "metrics": [shown_metric(one, one is best) for one in metrics],
        "references": {url: [one for one in SOURCES if one in sources] for url, (sources, _) in cited.items()},
        "affected": counts,
        "evidence": shown,
        "exploits": [[source, name] for source, name, *_ in feeds["exploits"].get(cve_id, [])],
    }


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: upstream-fields.py <feeds folder>")
    folder = sys.argv[1]
    feeds = {
        "nvd": upstream.nvd(folder),
        "advisories": upstream.by_cve(upstream.advisories(folder)),
        "osv": upstream.by_cve(upstream.osv(folder)),
        "kev": upstream.kev(folder),
        "epss": upstream.epss(folder),
        "weaknesses": upstream.weaknesses(folder),
        "exploits": exploits(folder),
        "templates": upstream.templates(folder),
        "pocs": upstream.pocs(folder),
    }
    for record in upstream.cve_list(folder).values():
        print(json.dumps(fields(record, feeds), separators=(",", ":")))


main()
