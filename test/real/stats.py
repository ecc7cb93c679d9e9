"""Counts figures from the publishers' files: stats.py <feeds> <first night> <second night>. Prints JSON.

months: records by month of publication. kev: listed records by month of listing. cnas: for each CNA with at least 20
records, by slug: records, those without a score of the CNA, and both for the last 365 days. added, rejected: ids of the
second night that the first did not have, or that were not rejected in it.
"""

import collections
import datetime
import json
import os
import sys
import zipfile

feeds, first, second = sys.argv[1:]


def records(night):
    path = os.path.join(feeds, "cvelistv5", night + "_all_CVEs.zip")
    found = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if os.path.basename(name).startswith("CVE-") and name.endswith(".json"):
                record = json.loads(archive.read(name))
                found[record["cveMetadata"]["cveId"]] = record
    return found


def instant(text):
    if text is None:
        return None
    time = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return time if time.tzinfo else time.replace(tzinfo=datetime.timezone.utc)


def is_scored(record):
    metrics = record["containers"].get("cna", {}).get("metrics", [])
    versions = ("cvssV2_0", "cvssV3_0", "cvssV3_1", "cvssV4_0")
    return any("baseScore" in metric.get(version, {}) for metric in metrics for version in versions)


before, after = records(first), records(second)
is_rejected = lambda record: record["cveMetadata"]["state"] == "REJECTED"
served = {key: record for key, record in after.items() if not is_rejected(record)}
times = {key: instant(record["cveMetadata"].get("datePublished")) for key, record in served.items()}
end = datetime.datetime.fromisoformat(second + "T00:00:00+00:00") + datetime.timedelta(days=2)
dates = [
    instant(record["cveMetadata"].get(name))
    for record in after.values()
    for name in ("datePublished", "dateUpdated")
]
corpus_date = max(time for time in dates if time and time < end)
# Times have milliseconds; digits beyond them are cut off.
milliseconds = lambda time: time.replace(microsecond=time.microsecond // 1000 * 1000)
year = datetime.timedelta(days=365)

months = collections.Counter(time.strftime("%Y-%m") for time in times.values() if time)

with open(os.path.join(feeds, "kev", "known_exploited_vulnerabilities.json")) as file:
    listed = {entry["cveID"]: entry["dateAdded"] for entry in json.load(file)["vulnerabilities"]}
kev = collections.Counter()
for key, record in served.items():
    date = listed.get(key)
    if date:
        kev[date[:7]] += 1

cnas = collections.defaultdict(lambda: [0, 0, 0, 0])
for key, record in served.items():
    name = record["cveMetadata"].get("assignerShortName")
    if not name:
        continue
    counts = cnas["_".join(name.strip().lower().split())]
    is_recent = times[key] is not None and milliseconds(corpus_date) - milliseconds(times[key]) < year
    for at, counted in enumerate([True, not is_scored(record), is_recent, is_recent and not is_scored(record)]):
        counts[at] += counted

print(
    json.dumps(
        {
            "months": months,
            "kev": kev,
            "cnas": {slug: counts for slug, counts in cnas.items() if counts[0] >= 20},
            "added": sum(key not in before or is_rejected(before[key]) for key in served),
            "rejected": sum(
                is_rejected(record) and not (key in before and is_rejected(before[key]))
                for key, record in after.items()
            ),
        }
    )
)
