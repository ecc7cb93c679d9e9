#!/usr/bin/env python3
"""Matches lock files and SBOMs with every record of OSV's exports, without an index of versions.

    test/real/audit-findings.py ../shared/feeds-packages/osv/npm/all.zip [<export>...] <file>...

Prints one line of JSON per file, in their order: `packages`, a list of [name, version, ecosystem], and `findings` and
`undecided`, lists of [name, version, advisory, ecosystem]. The verdicts are those of `package-verdicts.py`; if a record of
malware lists versions, only these are affected. It shares no code with the product on purpose.
"""
import importlib.util
import json
import os
import re
import sys
import zipfile
from urllib.parse import unquote

spec = importlib.util.spec_from_file_location("verdicts", os.path.join(os.path.dirname(__file__), "package-verdicts.py"))
verdicts = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verdicts)


def npm_lock(text):
    """The name of an alias is in `name`, else at the end of the path. The project has an empty path."""
    for path, entry in json.loads(text)["packages"].items():
        if path != "":
            yield entry.get("name", path.rpartition("node_modules/")[2]), entry["version"]


def pnpm_lock(text):
    """Keys below `packages:`, such as `  '@scope/name@1.0.0':`. A section ends at the next line without blanks."""
    section = re.search(r"^packages:\n(.*?)(?=^\S|\Z)", text, re.M | re.S)[1]
    for _, key in re.findall(r"^  (['\"]?)(\S+)\1:", section, re.M):
        yield split(key)


def bun_lock(text):
    """JSON with commas before closing brackets. Values are lists that begin with `name@version`."""
    for entry in json.loads(re.sub(r",(?=\s*[\]}])", "", text))["packages"].values():
        yield split(entry[0])


def yarn_lock(text):
    """The project is `@workspace:`, a patched package `@patch:`. Its original has an entry of its own."""
    yield from re.findall(r'^  resolution: "([^":]+)@npm:([^"]+)"$', text, re.M)


def split(spec):
    name, _, version = spec.rpartition("@")
    return name, version


def composer_lock(text):
    lock = json.loads(text)
    for entry in lock["packages"] + lock["packages-dev"]:
        yield entry["name"], entry["version"]


def requirements(text):
    yield from re.findall(r"^([\w.-]+)==(\S+)$", text, re.M)


def poetry_lock(text):
    yield from re.findall(r'^\[\[package\]\]\nname = "(.+)"\nversion = "(.+)"$', text, re.M)


def cyclonedx(text):
    """`name` can be that of an alias."""
    for entry in json.loads(text)["components"]:
        yield split(unquote(entry["purl"].removeprefix("pkg:npm/")))


def spdx(text):
    for entry in json.loads(text)["packages"]:
        yield split(unquote(entry["externalRefs"][0]["referenceLocator"].removeprefix("pkg:npm/")))


READERS = {
    "package-lock.json": ("npm", npm_lock),
    "pnpm-lock.yaml": ("npm", pnpm_lock),
    "bun.lock": ("npm", bun_lock),
    "yarn.lock": ("npm", yarn_lock),
    "npm.cdx.json": ("npm", cyclonedx),
    "npm.spdx.json": ("npm", spdx),
    "composer.lock": ("Packagist", composer_lock),
    "requirements.txt": ("PyPI", requirements),
    "poetry.lock": ("PyPI", poetry_lock),
}


def entries_by_package(exports):
    """Lists of (record, entry) by ecosystem and folded name. Of an id in several exports, the newest record counts."""
    records = {}
    for path in exports:
        with zipfile.ZipFile(path) as archive:
            for record in (json.loads(archive.read(member)) for member in archive.namelist()):
                known = records.get(record["id"])
                if known is None or record["modified"] > known["modified"]:
                    records[record["id"]] = record
    entries = {}
    for record in records.values():
        for entry in [] if "withdrawn" in record else record.get("affected") or []:
            ecosystem, name = entry["package"]["ecosystem"], entry["package"]["name"]
            entries.setdefault((ecosystem, verdicts.folded(name, ecosystem)), []).append((record, entry))
    return entries


def verdict_of(record, entry, version, key):
    if record["id"].startswith("MAL-") and entry.get("versions"):
        entry = {"versions": entry["versions"]}
    return verdicts.in_entry(entry, version, key)


def main(*paths):
    exports = [path for path in paths if path.endswith(".zip")]
    entries = entries_by_package(exports)
    for path in paths[len(exports):]:
        ecosystem, reader = READERS[os.path.basename(path)]
        key = verdicts.cached(verdicts.ORDERS[ecosystem])
        with open(path, encoding="utf-8") as file:
            packages = sorted(set(reader(file.read())))
        found = {verdicts.AFFECTED: [], verdicts.UNDECIDED: [], verdicts.UNAFFECTED: []}
        for name, version in packages:
            by_record = {}
            for record, entry in entries.get((ecosystem, verdicts.folded(name, ecosystem)), []):
                by_record.setdefault(record["id"], set()).add(verdict_of(record, entry, version, key))
            for advisory, all_verdicts in by_record.items():
                found[verdicts.strongest(all_verdicts)].append((name, version, advisory, ecosystem))
        print(
            json.dumps(
                {
                    "packages": [(*one, ecosystem) for one in packages],
                    "findings": found[verdicts.AFFECTED],
                    "undecided": found[verdicts.UNDECIDED],
                }
            )
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
