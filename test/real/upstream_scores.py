"""The rules on CVSS (rules 18 and 29) for upstream-fields.py, which shares no code with the product."""
import math
import re
import sys

from upstream_feeds import SOURCES, timestamp

VERSIONS = ["4.0", "3.1", "3.0", "2.0"]

# Base scores of the 4.0 vectors of advisories that back a headline: the rule needs a table of 270 rows, so here is what
# a calculator other than the product's gives (@pandatix/js-cvss).
SCORES_4 = {
    "AV:L/AC:L/AT:N/PR:L/UI:N/VC:H/VI:N/VA:N/SC:N/SI:N/SA:N": 6.8,
    "AV:L/AC:L/AT:N/PR:N/UI:A/VC:N/VI:N/VA:H/SC:N/SI:N/SA:N": 6.7,
    "AV:L/AC:L/AT:P/PR:L/UI:N/VC:H/VI:H/VA:N/SC:N/SI:N/SA:N": 7.2,
    "AV:L/AC:L/AT:P/PR:L/UI:N/VC:L/VI:N/VA:N/SC:N/SI:N/SA:N": 2,
    "AV:N/AC:H/AT:N/PR:L/UI:N/VC:N/VI:N/VA:H/SC:N/SI:N/SA:N": 6,
    "AV:N/AC:L/AT:N/PR:H/UI:N/VC:H/VI:H/VA:N/SC:N/SI:N/SA:N": 8.5,
    "AV:N/AC:L/AT:N/PR:L/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N": 8.7,
    "AV:N/AC:L/AT:N/PR:L/UI:N/VC:H/VI:N/VA:N/SC:N/SI:N/SA:N": 7.1,
    "AV:N/AC:L/AT:N/PR:L/UI:N/VC:L/VI:N/VA:N/SC:N/SI:N/SA:N": 5.3,
    "AV:N/AC:L/AT:N/PR:L/UI:N/VC:N/VI:H/VA:N/SC:N/SI:N/SA:N": 7.1,
    "AV:N/AC:L/AT:N/PR:L/UI:N/VC:N/VI:L/VA:L/SC:N/SI:N/SA:N": 5.3,
    "AV:N/AC:L/AT:N/PR:L/UI:N/VC:N/VI:L/VA:N/SC:N/SI:N/SA:N": 5.3,
    "AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:N/VA:N/SC:N/SI:N/SA:N": 8.7,
    "AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:H/SC:L/SI:L/SA:N": 8.7,
    "AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:H/SC:N/SI:N/SA:N": 8.7,
    "AV:N/AC:L/AT:N/PR:N/UI:P/VC:N/VI:N/VA:N/SC:L/SI:L/SA:N": 5.3,
}


def band(version, score):
    """rule 18."""
    if score == 0:
        return "none"
    if version == "2.0":
        return "low" if score < 4 else "medium" if score < 7 else "high"
    return "low" if score < 4 else "medium" if score < 7 else "high" if score < 9 else "critical"


def score_of(vector):
    """The base score of a vector; 3.x by section 7.1 of the specifications of CVSS."""
    version, *metrics = vector.removeprefix("CVSS:").split("/")
    if version == "4.0":
        return SCORES_4.get("/".join(metrics[:11]))
    m = dict(metric.split(":") for metric in metrics)
    changed = m["S"] == "C"
    impacts = {"H": 0.56, "L": 0.22, "N": 0}
    base = 1 - (1 - impacts[m["C"]]) * (1 - impacts[m["I"]]) * (1 - impacts[m["A"]])
    impact = 7.52 * (base - 0.029) - 3.25 * (base - 0.02) ** 15 if changed else 6.42 * base
    privileges = {"N": 0.85, "L": 0.68, "H": 0.5} if changed else {"N": 0.85, "L": 0.62, "H": 0.27}
    ease = {"N": 0.85, "A": 0.62, "L": 0.55, "P": 0.2}[m["AV"]] * {"L": 0.77, "H": 0.44}[m["AC"]]
    ease *= 8.22 * privileges[m["PR"]] * {"N": 0.85, "R": 0.62}[m["UI"]]
    if impact <= 0:
        return 0
    # The next tenth; 3.1 says how, lest a trace of binary fractions make it one more.
    return math.ceil(round(min((1.08 if changed else 1) * (impact + ease), 10) * 100_000) / 10_000) / 10


def metric(source, name, version, score, severity, vector, captured):
    return {
        "source": source,
        "name": name,
        "version": version,
        "score": score,
        "severity": severity if severity or score is None else band(version, score).upper(),
        "vector": vector,
        "captured": captured,
    }


def container_metrics(source, container, name, updated):
    """Those of a container of the CVE list; `name` where it has none. The time is the record's: a metric has none."""
    for item in container.get("metrics", []):
        for kind, data in item.items():
            if re.match(r"cvssV\d_\d$", kind):
                yield metric(
                    source,
                    container["providerMetadata"].get("shortName") or name,
                    data["version"],
                    data["baseScore"],
                    data.get("baseSeverity"),
                    data["vectorString"],
                    updated,
                )


def nvd_metrics(cve, given):
    """NVD's own, and those of others unless CNA or ADP gave the same vector (rule 29)."""
    for items in (cve or {}).get("metrics", {}).values():
        for item in items:
            data = item.get("cvssData")
            own = item.get("source") == "nvd@nist.gov"
            if data and (own or data["vectorString"] not in given):
                severity = data.get("baseSeverity") or item.get("baseSeverity")
                name = "nvd" if own else re.search(r"@(?:.*\.)?([^.]+)\.[^.]+$", item["source"])[1]
                captured = timestamp(cve["lastModified"])
                yield metric("nvd", name, data["version"], data["baseScore"], severity, data["vectorString"], captured)


def advisory_metrics(advisory):
    for item in advisory.get("severity", []):
        version = item["score"].split("/")[0].removeprefix("CVSS:")
        captured = timestamp(advisory["modified"])
        yield metric("advisory", advisory["id"], version, score_of(item["score"]), None, item["score"], captured)


def metrics_of(cna, adps, of_nvd, linked, assigner, updated):
    """All that the sources say about a record."""
    metrics = list(container_metrics("cna", cna, assigner, updated))
    metrics += [one for adp in adps for one in container_metrics("adp", adp, None, updated)]
    metrics += nvd_metrics(of_nvd, {one["vector"] for one in metrics})
    return metrics + [one for advisory in linked for one in advisory_metrics(advisory)]


def headline(metrics):
    """The source, then the version, then the newest, then the higher score (rule 18)."""
    able = [one for one in metrics if one["source"] != "nvd" or one["name"] == "nvd"]
    able.sort(key=lambda one: one["score"] or 0, reverse=True)
    able.sort(key=lambda one: one["captured"], reverse=True)
    able.sort(key=lambda one: (SOURCES.index(one["source"]), VERSIONS.index(one["version"])))
    if able and able[0]["score"] is None:
        sys.exit(f"SCORES_4 has no score for {able[0]['vector']}")
    return able[0] if able else None


def shown_metric(one, is_best):
    """Of an advisory's that is not the headline no score is stated, and not every 4.0 vector has one here."""
    scored = [None, None] if one["source"] == "advisory" else [one["score"], one["severity"]]
    return [one["source"], one["name"], one["version"], *scored, one["vector"], is_best, one["captured"]]
