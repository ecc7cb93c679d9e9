"""Reads the upstream files for the scripts beside it, by nothing but Python's standard library.

It takes a feeds folder with one edition of each feed, or the newest by name; the CVE list as one release zip without
deltas, GHSA, OSV and PoCs as zips. Shares no code with the product on purpose.
"""
import csv
import glob
import gzip
import io
import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
import zipfile
from datetime import datetime, timezone

SOURCES = ["cna", "adp", "nvd", "advisory", "osv"]


def text(value):
    """Without blanks around it; an empty string is null (rule 29)."""
    return (value.strip() or None) if isinstance(value, str) else None


def timestamp(value):
    """UTC to the millisecond; a time without a zone is UTC (rule 29)."""
    if value is None:
        return None
    instant = datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", value.replace("Z", "+00:00")))
    instant = instant.replace(tzinfo=timezone.utc) if instant.tzinfo is None else instant.astimezone(timezone.utc)
    return instant.strftime("%Y-%m-%dT%H:%M:%S.") + f"{instant.microsecond // 1000:03d}Z"


def newest(feeds, pattern):
    """The last of the files by name; names carry the date or version."""
    found = sorted(glob.glob(os.path.join(feeds, pattern)))
    if not found:
        sys.exit(f"no {pattern} in {feeds}")
    return found[-1]


def opened(path):
    return gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb")


def named_members(path, name):
    """The JSON members of a zip whose path matches, each with its path."""
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            if re.search(name, member):
                yield member, json.loads(archive.read(member))


def members(path, name):
    return (content for _, content in named_members(path, name))


def cve_list(feeds):
    """The records that are served: published and reserved ones (rule 10)."""
    path = newest(feeds, "cvelistv5/*_all_CVEs.zip")
    records = {}
    for record in members(path, r"/CVE-\d{4}-\d+\.json$"):
        if record["cveMetadata"]["state"] in ("PUBLISHED", "RESERVED"):
            records[record["cveMetadata"]["cveId"]] = record
    return records


def nvd(feeds):
    """Of several copies of a record the one modified last (rule 29); rejected ones claim nothing."""
    records = {}
    for path in sorted(glob.glob(os.path.join(feeds, "nvd/*.json*"))):
        with opened(path) as file:
            for item in json.load(file)["vulnerabilities"]:
                cve = item["cve"]
                known = records.get(cve["id"])
                if known is None or cve["lastModified"] > known["lastModified"]:
                    records[cve["id"]] = cve
    return {cve_id: cve for cve_id, cve in records.items() if cve.get("vulnStatus") != "Rejected"}


def kev(feeds):
    """The days on which CVEs were listed."""
    with opened(newest(feeds, "kev/known_exploited_vulnerabilities.json")) as file:
        return {entry["cveID"]: entry["dateAdded"] for entry in json.load(file)["vulnerabilities"]}


def epss(feeds):
    with opened(newest(feeds, "epss/epss_scores-*.csv.gz")) as file:
        lines = io.TextIOWrapper(file, "utf-8", newline="")
        date = re.search(r"score_date:(\d{4}-\d\d-\d\d)", next(lines))[1]
        return {
            row["cve"]: {"score": float(row["epss"]), "percentile": float(row["percentile"]), "date": date}
            for row in csv.DictReader(lines)
        }


def advisories(feeds):
    """The linked advisories of GHSA."""
    return members(newest(feeds, "ghsa/*.zip"), r"/GHSA-[^/]+\.json$")


def osv(feeds):
    for path in sorted(glob.glob(os.path.join(feeds, "osv/*/all.zip"))):
        yield from members(path, r"\.json$")


def by_cve(entries):
    """What is withdrawn or merely related claims nothing on a CVE (rule 29)."""
    found = {}
    for entry in entries:
        if not entry.get("withdrawn"):
            for cve_id in set(entry.get("aliases") or []):
                found.setdefault(cve_id, []).append(entry)
    return found


def framework(feeds):
    """The modules of the framework."""
    with opened(newest(feeds, "metasploit/modules_metadata_base.json*")) as file:
        return list(json.load(file).values())


def archive(feeds):
    """The rows of the archive."""
    with opened(newest(feeds, "exploitdb/files_exploits.csv*")) as file:
        return list(csv.DictReader(io.TextIOWrapper(file, "utf-8", newline="")))


def templates(feeds):
    """The path of the scanner's template by CVE."""
    with opened(newest(feeds, "nuclei/cves.json")) as file:
        lines = [json.loads(line) for line in file if line.strip()]
    return {line["ID"]: line["file_path"] for line in lines}


def pocs(feeds):
    """The repositories that claim to hold a proof of concept, by CVE."""
    found = named_members(newest(feeds, "poc/*.zip"), r"CVE-\d+-\d+\.json$")
    return {re.search(r"CVE-\d+-\d+", path)[0]: repositories for path, repositories in found}


def weaknesses(feeds):
    """Names by number of all weaknesses, deprecated ones too; categories and views are none (rule 27)."""
    with zipfile.ZipFile(newest(feeds, "cwe/cwec_v*.xml.zip")) as archive:
        root = ElementTree.fromstring(archive.read(archive.namelist()[0]))
    return {int(element.get("ID")): text(element.get("Name")) for element in root.findall("{*}Weaknesses/{*}Weakness")}
