"""Reads the upstream files for upstream-counts.py and upstream-fields.py, by nothing but Python's standard library.

It takes a feeds folder with one edition of each feed, or the newest by name; the CVE list as one release zip without
deltas, GHSA, OSV and PoCs as zips. Shares no code with the product on purpose.
"""
import glob
import gzip
import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
import zipfile


def newest(feeds, pattern):
    """The last of the files by name; names carry the date or version."""
    found = sorted(glob.glob(os.path.join(feeds, pattern)))
    if not found:
        sys.exit(f"no {pattern} in {feeds}")
    return found[-1]


def opened(path):
    return gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb")


def members(path, name):
    """The JSON members of a zip whose path matches."""
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            if re.search(name, member):
                yield json.loads(archive.read(member))


def cve_list(feeds):
    """The records that are served: published and reserved ones (decisions 10)."""
    path = newest(feeds, "cvelistv5/*_all_CVEs.zip")
    records = {}
    for record in members(path, r"/CVE-\d{4}-\d+\.json$"):
        if record["cveMetadata"]["state"] in ("PUBLISHED", "RESERVED"):
            records[record["cveMetadata"]["cveId"]] = record
    return records


def nvd(feeds):
    """Of several copies of a record the one modified last (decisions 29); rejected ones claim nothing."""
    records = {}
    for path in sorted(glob.glob(os.path.join(feeds, "nvd/*.json*"))):
        with opened(path) as file:
            for item in json.load(file)["vulnerabilities"]:
                cve = item["cve"]
                known = records.get(cve["id"])
                if known is None or cve["lastModified"] > known["lastModified"]:
                    records[cve["id"]] = cve
    return {cve_id: cve for cve_id, cve in records.items() if cve.get("vulnStatus") != "Rejected"}


def advisories(feeds):
    """The linked advisories of GHSA."""
    return members(newest(feeds, "ghsa/*.zip"), r"/GHSA-[^/]+\.json$")


def weaknesses(feeds):
    """The numbers of all weaknesses, deprecated ones too; categories and views are none (decisions 27)."""
    with zipfile.ZipFile(newest(feeds, "cwe/cwec_v*.xml.zip")) as archive:
        root = ElementTree.fromstring(archive.read(archive.namelist()[0]))
    return {int(element.get("ID")) for element in root.findall("{*}Weaknesses/{*}Weakness")}
