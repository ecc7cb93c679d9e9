#!/usr/bin/env python3
"""Counts in the upstream files what a snapshot of them must serve, by nothing but Python's standard library.

    test/real/upstream-counts.py ../shared/feeds

prints JSON with the members of `counts` in the answer of /snapshot, how many CNAs have a grade, and to how many advisories
CVEs are linked. It shares no code with the product on purpose; the rules it follows are those of the specification, cited
where they are needed. What it takes: upstream_feeds.py, upstream_names.py, and the folding of package-verdicts.py.
"""
import itertools
import json
import re
import runpy
import sys

sys.dont_write_bytecode = True
from upstream_feeds import (  # noqa: E402
    advisories,
    archive,
    cve_list,
    framework,
    members,
    newest,
    nvd,
    opened,
    osv,
    weaknesses,
)
from upstream_names import joined, listed  # noqa: E402

folded = runpy.run_path(f"{sys.path[0]}/package-verdicts.py")["folded"]


def key(name):
    """Lower case, `_` for blanks; what names nobody is None (rule 27)."""
    folded = name.strip().lower() if isinstance(name, str) else ""
    return None if folded in ("", "n/a", "*") else re.sub(r"\s+", "_", folded)


def names_in_record(record):
    """Vendor and product as the CNA and the ADPs write them."""
    containers = record["containers"]
    for container in [containers["cna"], *containers.get("adp", [])]:
        for entry in container.get("affected", []):
            for product in listed(entry.get("vendor"), entry.get("product")):
                yield entry.get("vendor"), product
        yield from names_in_cpes({"configurations": container.get("cpeApplicability", [])})


def plain(attribute):
    """An attribute of a CPE: `*` is any, `-` none; other text is escaped with backslashes."""
    return None if attribute in ("*", "-") else re.sub(r"\\(.)", r"\1", attribute)


def names_in_cpes(cve):
    """Of the CPEs that NVD marks as vulnerable; the others are what a product runs on."""
    for configuration in cve.get("configurations", []):
        for node in configuration["nodes"]:
            for match in node["cpeMatch"]:
                if match["vulnerable"]:
                    attributes = re.split(r"(?<!\\):", match["criteria"])
                    yield plain(attributes[3]), plain(attributes[4])


def vendors_and_products(records, nvd_records):
    vendors, products = set(), set()
    for cve_id, record in records.items():
        named = list(names_in_record(record))
        cve = nvd_records.get(cve_id)
        if cve is not None:
            named += names_in_cpes(cve)
        for vendor, product in ((key(vendor), key(product)) for vendor, product in named):
            if vendor is not None:
                vendors.add(joined(vendor, "")[0])
                if product is not None:
                    products.add(joined(vendor, product))
    return len(vendors), len(products)


def linked_advisories(feeds, records):
    """Of several advisories on a CVE: not withdrawn, reviewed, earliest published, lowest id (rule 29)."""
    best = {}
    for advisory in advisories(feeds):
        order = (
            bool(advisory.get("withdrawn")),
            not advisory.get("database_specific", {}).get("github_reviewed", False),
            advisory["published"],
            advisory["id"],
        )
        for cve_id in {alias for alias in advisory.get("aliases", []) if alias in records}:
            best[cve_id] = min(order, best.get(cve_id, order))
    return len({advisory_id for *_, advisory_id in best.values()})


def advisories_and_packages(feeds):
    """Every record in the OSV schema has an id; those that are not withdrawn name packages. A repository is no name."""
    ids, packages = set(), set()
    for record in itertools.chain(advisories(feeds), osv(feeds)):
        ids.add(record["id"])
        for entry in [] if record.get("withdrawn") else record.get("affected") or []:
            if "package" in entry:
                ecosystem, name = entry["package"]["ecosystem"].split(":")[0], entry["package"]["name"]
                packages.add((ecosystem, folded(name, ecosystem)))
    return len(ids), len(packages)


def patterns(feeds):
    ids = set()
    for bundle in members(newest(feeds, "capec/capec-*-objects.zip"), r"/attack-pattern/"):
        for thing in bundle["objects"]:
            ids |= {
                one["external_id"] for one in thing["external_references"] if one["source_name"] == "capec"
            }
    return len(ids)


def cnas(feeds):
    with opened(newest(feeds, "cna/CNAsList*.json")) as file:
        return {key(entry["shortName"]) for entry in json.load(file)}


def assigners(records):
    """Those of the CNAs that have records; some of them are not in the list (rule 27)."""
    return {key(record["cveMetadata"]["assignerShortName"]) for record in records.values()}


def exploit_modules(feeds):
    """Every entry of the archive; of the framework exploits and auxiliaries, and others that name a CVE (rule 27)."""
    entries = {row["id"] for row in archive(feeds)}
    def is_listed(module):
        cves = [one for one in module.get("references") or [] if one.upper().startswith("CVE-")]
        return module["type"] in ("exploit", "auxiliary") or cves

    modules = {module["fullname"] for module in framework(feeds) if is_listed(module)}
    return len(entries) + len(modules)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: upstream-counts.py <feeds folder>")
    feeds = sys.argv[1]
    records = cve_list(feeds)
    vendors, products = vendors_and_products(records, nvd(feeds))
    all_advisories, packages = advisories_and_packages(feeds)
    counts = {
        "cves": len(records),
        "cwes": len(weaknesses(feeds)),
        "capecs": patterns(feeds),
        "cnas": len(cnas(feeds) | assigners(records)),
        "graded": len(assigners(records)),
        "vendors": vendors,
        "products": products,
        "exploits": exploit_modules(feeds),
        "advisories": all_advisories,
        "packages": packages,
        "linked_advisories": linked_advisories(feeds, records),
    }
    print(json.dumps(counts, indent=2))


main()
