#!/usr/bin/env python3
"""Matches lock files with every record of the export of their ecosystem, without an index.

    test/real/audit-findings.py ../shared/feeds-packages/osv/npm/all.zip <lock file>...
    test/real/audit-findings.py ../shared/feeds-packages/osv/Packagist/all.zip <composer.lock>...

Prints one line of JSON per lock file, in their order: `packages`, a list of [name, version], and `findings`, a list of
[name, version, advisory]. The verdicts are those of `package-verdicts.py`. It shares no code with the product on purpose.
"""
import importlib.util
import json
import os
import re
import sys
import zipfile

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


def composer_lock(text):
    lock = json.loads(text)
    for entry in lock["packages"] + lock["packages-dev"]:
        yield entry["name"], entry["version"]


def split(spec):
    name, _, version = spec.rpartition("@")
    return name, version


READERS = {
    "package-lock.json": ("npm", npm_lock),
    "pnpm-lock.yaml": ("npm", pnpm_lock),
    "bun.lock": ("npm", bun_lock),
    "yarn.lock": ("npm", yarn_lock),
    "composer.lock": ("Packagist", composer_lock),
}


def main(export, *paths):
    with zipfile.ZipFile(export) as archive:
        records = [json.loads(archive.read(member)) for member in archive.namelist()]
    for path in paths:
        ecosystem, read = READERS[os.path.basename(path)]
        key = verdicts.cached(verdicts.ORDERS[ecosystem])
        with open(path, encoding="utf-8") as file:
            packages = sorted(set(read(file.read())))
        findings = [
            (name, version, record["id"])
            for record in records
            if "withdrawn" not in record
            for name, version in packages
            if any(
                entry["package"]["ecosystem"] == ecosystem
                and entry["package"]["name"].lower() == name.lower()
                and verdicts.in_entry(entry, version, key) == verdicts.AFFECTED
                for entry in record["affected"]
            )
        ]
        print(json.dumps({"packages": packages, "findings": findings}))


if __name__ == "__main__":
    main(*sys.argv[1:])
