/** Damaged and hostile files: an error with the file and the line, never a crash, and never a finding of nothing. */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  MAX_ENTRIES,
  MAX_JSON_VALUES,
  MAX_LINES,
  MAX_TOML_TOKENS,
  MAX_XML_NODES,
  MAX_YAML_CHARACTERS,
  MAX_YAML_TOKENS,
} from '../../../corpus/inventory/bounds.ts'
import { InventoryError } from '../../../corpus/inventory/error.ts'
import { inventoryOf } from '../../../corpus/inventory/read.ts'
import { codePoint, property } from '../model/properties/property.ts'

const folder = join(import.meta.dirname, 'lock-files')
const bytesOf = (path: string) => readFileSync(join(folder, path))

const FILES = [
  'npm1/package-lock.json',
  'npm3/package-lock.json',
  'pnpm7/pnpm-lock.yaml',
  'pnpm9/pnpm-lock.yaml',
  'yarn1/yarn.lock',
  'yarn4/yarn.lock',
  'composer/composer.lock',
  'cargo/Cargo.lock',
  'poetry2/poetry.lock',
  'pip/requirements.txt',
  'go/go.sum',
  'go/go.mod',
  'bundler/Gemfile.lock',
  'uv/uv.lock',
  'pdm/pdm.lock',
  'pylock/pylock.toml',
  'pipenv/Pipfile.lock',
  'bun/bun.lock',
  'deno/deno.lock',
  'maven/pom.xml',
  'gradle/gradle.lockfile',
  'gradle/verification-metadata.xml',
  'nuget/packages.lock.json',
  'nuget/packages.config',
  'nuget/app.deps.json',
  'nuget/project.assets.json',
  'pub/pubspec.lock',
  'mix/mix.lock',
  'swift1/Package.resolved',
  'swift3/Package.resolved',
  'cocoapods/Podfile.lock',
  'conan1/conan.lock',
  'conan2/conan.lock',
  'renv/renv.lock',
  'cabal/cabal.project.freeze',
  'stack/stack.yaml.lock',
  'julia1/Manifest.toml',
  'julia2/Manifest.toml',
  'github/.github/workflows/ci.yml',
  'github/action.yml',
  'sbom/bom.json',
  'sbom/audited.spdx.json',
  'sbom/image.cdx.xml',
  'sbom/image.spdx.yaml',
  'sbom/image.spdx',
  'sbom/image.spdx3.json',
  'sbom/image.syft.json',
  'sbom/image.cdx.intoto.json',
  'sbom/image.spdx.intoto.jsonl',
]

/** Returns the message of the error. */
function faultOf(name: string, content: string | Buffer): string {
  try {
    const found = inventoryOf(`dir/${name}`, name, Buffer.from(content))
    throw new Error(`no error, but ${JSON.stringify(found).slice(0, 200)}`)
  } catch (error) {
    if (!(error instanceof InventoryError)) throw error
    return error.message
  }
}

const BOM_XML = '<bom xmlns="http://cyclonedx.org/schema/bom/1.6">'
const CONTEXT = '"@context": "https://spdx.org/rdf/3.0.1/spdx-context.jsonld"'
const STATEMENT = '"_type": "https://in-toto.io/Statement/v1"'
const ENVELOPE = '"payloadType": "application/vnd.in-toto+json"'

const FAULTS: [what: string, name: string, content: string | Buffer, message: RegExp][] = [
  ['an unknown file', 'notes.md', '# Notes\n', /^dir\/notes\.md is in no known format.* package-lock\.json; .*purls/],
  ['an empty file', 'package-lock.json', '', /^dir\/package-lock\.json:1: .*it is not JSON/],
  ['a NUL byte', 'go.sum', 'a v1 h1:b\n\0', /^dir\/go\.sum:2: it has a NUL byte/],
  ['bytes that are no UTF-8', 'yarn.lock', Buffer.from([0x61, 0xff]), /not a text in UTF-8/],
  ['half an object', 'package-lock.json', '{"packages": {\n"a": {\n', /^dir\/package-lock\.json:3: .*it is not JSON/],
  ['a wrong comma', 'bom.json', '{\n"bomFormat": "CycloneDX",\n,}', /^dir\/bom\.json:3: .*it is not JSON/],
  ['a list', 'composer.lock', '[]', /^dir\/composer\.lock:1: .*not a JSON object/],
  ['neither packages nor dependencies', 'package-lock.json', '{}', /neither 'packages' nor 'dependencies'/],
  ['packages in a list', 'package-lock.json', '{\n"packages":\n[]}', /:3: .*'packages' is not a JSON object/],
  [
    'an entry that is a text',
    'package-lock.json',
    '{"packages": {"node_modules/a": "1"}}',
    /:1: .*entry 'node_modules\/a'/,
  ],
  [
    'a number as a version',
    'package-lock.json',
    '{\n"packages": {\n"node_modules/a": {"version": 1}}}',
    /:3: .*version of 'a'/,
  ],
  ['a package without a name', 'package-lock.json', '{"packages": {"node_modules/": {"version": "1"}}}', /has no name/],
  ['dependencies in a text', 'package-lock.json', '{"dependencies": "none"}', /'dependencies' is not a JSON object/],
  ['a component without a name', 'bom.json', '{"bomFormat": "CycloneDX", "components": [\n{}]}', /:2: .*no name/],
  ['components in an object', 'bom.json', '{"bomFormat": "CycloneDX", "components": {}}', /'components' is not a list/],
  ['another bomFormat', 'bom.json', '{"bomFormat": "Other"}', /'bomFormat' is not CycloneDX/],
  ['another version', 'a.spdx.json', '{"spdxVersion": "SPDX-3.0", "packages": []}', /'spdxVersion' is not SPDX-2\.x/],
  ['CycloneDX 2', 'bom.json', '{"bomFormat": "CycloneDX", "specVersion": "2.0"}', /'specVersion' is not 1\.x/],
  ['no content', 'bom.xml', '', /^dir\/bom\.xml:1: .*no element/],
  ['XML that ends early', 'bom.xml', `${BOM_XML}\n<components><component>`, /^dir\/bom\.xml:2: .*not XML/],
  ['another root', 'bom.xml', '<?xml version="1.0"?>\n<project/>', /^dir\/bom\.xml:2: .*root is not <bom>/],
  [
    'another namespace',
    'bom.xml',
    '<bom xmlns="https://example.com"/>',
    /bom\.xml:1: .*in the namespace http:\/\/cyclonedx/,
  ],
  [
    'CycloneDX 2',
    'bom.xml',
    '<bom xmlns="http://cyclonedx.org/schema/bom/2.0"/>',
    /bom\.xml:1: .*'specVersion' is not/,
  ],
  [
    'a component without a name',
    'bom.xml',
    `${BOM_XML}<components>\n<component/></components></bom>`,
    /bom\.xml:2: .*no name/,
  ],
  ['a document type', 'bom.xml', `<!DOCTYPE a [<!ENTITY b "c">]>${BOM_XML}</bom>`, /bom\.xml:1: .*document type/],
  ['deep XML', 'bom.xml', `${BOM_XML}\n${'<components><component>'.repeat(20_000)}`, /bom\.xml:2: .*nested too deep/],
  ['no content', 'a.spdx', '', /^dir\/a\.spdx:1: .*'spdxVersion' is not SPDX-2/],
  ['a line that is no tag', 'a.spdx', 'SPDXVersion: SPDX-2.3\n\nabc\n', /a\.spdx:3: .*'abc' is not a tag/],
  ['JSON', 'a.spdx', '{"spdxVersion": "SPDX-2.3"}', /a\.spdx:1: .*is not a tag/],
  ['a text without an end', 'a.spdx', 'A: b\nPackageComment: <text>a\nb\n', /a\.spdx:2: .*'PackageComment' has no end/],
  ['a tag before its package', 'a.spdx', 'PackageVersion: 1\n', /a\.spdx:1: .*'PackageVersion' precedes/],
  [
    'a reference before its package',
    'a.spdx',
    'ExternalRef: A purl pkg:npm/a@1\n',
    /a\.spdx:1: .*'ExternalRef' precedes/,
  ],
  ['a package without a name', 'a.spdx', 'SPDXVersion: SPDX-2.3\nPackageName:\n', /a\.spdx:2: .*no name/],
  ['another version', 'a.spdx', 'SPDXVersion: SPDX-3.0\n', /a\.spdx:1: .*'spdxVersion' is not/],
  ['no content', 'a.spdx.yaml', '', /^dir\/a\.spdx\.yaml:1: .*it is empty/],
  ['two documents', 'a.spdx.yaml', 'spdxVersion: SPDX-2.3\n---\na: b\n', /a\.spdx\.yaml:3: .*more than one document/],
  ['an alias', 'a.spdx.yaml', 'spdxVersion: SPDX-2.3\na: &a []\npackages: *a\n', /a\.spdx\.yaml:3: .*an alias, \*a/],
  ['YAML that ends early', 'a.spdx.yaml', 'spdxVersion: SPDX-2.3\npackages: [', /a\.spdx\.yaml:2: .*not YAML/],
  [
    'a package that is a scalar',
    'a.spdx.yaml',
    'spdxVersion: SPDX-2.3\npackages:\n- a\n',
    /a\.spdx\.yaml:3: .*not a JSON object/,
  ],
  ['deep YAML', 'a.spdx.yaml', `spdxVersion: SPDX-2.3\nx: ${'['.repeat(20_000)}`, /spdx\.yaml:2: .*nested too deep/],
  [
    'another context',
    'a.spdx3.json',
    '{\n"@context": "https://example.com", "@graph": []}',
    /json:1: .*'@context' is not/,
  ],
  ['a graph in an object', 'a.spdx3.json', `{${CONTEXT}, "@graph": {}}`, /spdx3\.json:1: .*'@graph' is not a list/],
  ['a syft document without packages', 'a.syft.json', '{"descriptor": {}}', /syft\.json.*'artifacts' is not a list/],
  ['an artifact that is a text', 'a.syft.json', '{"artifacts": [\n"a"]}', /syft\.json:1: .*not a JSON object/],
  ['no content', 'a.cdx.intoto.jsonl', '', /intoto\.jsonl:1: .*it is not JSON/],
  ['neither a statement', 'a.cdx.intoto.json', '{\n"a": 1}', /intoto\.json:1: .*states no SBOM, but none/],
  [
    'a statement about a build',
    'a',
    `{${STATEMENT}, "predicateType": "https://slsa.dev/provenance/v1"}`,
    /no SBOM, but https:/,
  ],
  [
    'a predicate that is a list',
    'a',
    `{${STATEMENT}, "predicateType": "https://spdx.dev/Document", "predicate": []}`,
    /'predicate' is not a JSON object/,
  ],
  [
    'a text in its predicate that is no SBOM',
    'a',
    `{${STATEMENT}, "predicateType": "https://spdx.dev/Document", "predicate": "abc"}`,
    /the text in its predicate is not valid: 'abc' is not a tag/,
  ],
  ['a payload that is no base64', 'a', `\n{${ENVELOPE}, "payload": "&"}`, /a:2: .*'payload' is not base64/],
  [
    'a payload that is no JSON',
    'a',
    `{${ENVELOPE}, "payload": "${btoa('{')}"}`,
    /a:1: .*payload is not valid: .*not JSON/,
  ],
  ['a payload that is no UTF-8', 'a', `{${ENVELOPE}, "payload": "/w=="}`, /a:1: .*payload is not in UTF-8/],
  [
    'an envelope in an envelope',
    'a',
    `{${ENVELOPE}, "payload": "${btoa(`{${ENVELOPE}}`)}"}`,
    /a:1: .*is not a statement/,
  ],
  ['a line that is cut', 'a', `{${STATEMENT}}\n{${STATEMENT}}{}\n`, /a:2: .*it is not JSON/],
  ['SPDX packages in a text', 'a.spdx.json', '{"spdxVersion": "SPDX-2.3", "packages": ""}', /'packages' is not a list/],
  ['no list of packages', 'composer.lock', '{"packages-dev": []}', /no list 'packages'/],
  ['a null in a list', 'composer.lock', '{"packages": [\nnull]}', /an entry in 'packages' is not a JSON object/],
  [
    'YAML with a tab',
    'pnpm-lock.yaml',
    "lockfileVersion: '9.0'\n\tpackages: {}\n",
    /^dir\/pnpm-lock\.yaml:2: .*not YAML/,
  ],
  ['YAML that ends early', 'pnpm-lock.yaml', "lockfileVersion: '9.0'\npackages: {", /pnpm-lock\.yaml:2: .*not YAML/],
  ['YAML that is a text', 'pnpm-lock.yaml', 'packages', /not a YAML mapping/],
  ['YAML without its version', 'pnpm-lock.yaml', 'packages: {}\n', /no 'lockfileVersion'/],
  [
    'packages in a sequence',
    'pnpm-lock.yaml',
    "lockfileVersion: '9.0'\npackages: [a]\n",
    /:2: .*'packages' is not a mapping/,
  ],
  [
    'an entry that is a scalar',
    'pnpm-lock.yaml',
    "lockfileVersion: '9.0'\npackages:\n  a@1: b\n",
    /:3: .*not a mapping/,
  ],
  ['a key that is a sequence', 'pnpm-lock.yaml', "lockfileVersion: '9.0'\npackages:\n  ? [a]\n  : {}\n", /:3: .*key/],
  [
    'deep YAML',
    'pnpm-lock.yaml',
    `lockfileVersion: '9.0'\npackages: ${'['.repeat(20_000)}`,
    /pnpm-lock\.yaml:2: .*nested too deep/,
  ],
  ['a yarn.lock without its mark', 'yarn.lock', 'a@1:\n  version "1"\n', /neither the line '# yarn lockfile v1'/],
  ['a line that is no key', 'yarn.lock', '# yarn lockfile v1\n\nabc\n', /yarn\.lock:3: .*'abc' is not the key/],
  [
    'a field without an entry',
    'yarn.lock',
    '# yarn lockfile v1\n  version "1"\n',
    /yarn\.lock:2: .*precedes the first/,
  ],
  ['TOML with a fault', 'Cargo.lock', 'version = 4\n\n[[package]\n', /^dir\/Cargo\.lock:3: .*not TOML: \S.*[^\n]$/],
  ['TOML that ends early', 'poetry.lock', '[[package]]\nname = "a', /^dir\/poetry\.lock:2: .*not TOML/],
  ['a table without a name', 'Cargo.lock', '[[package]]\nversion = "1"\n', /Cargo\.lock:1: .*no name/],
  ['a single table', 'Cargo.lock', '[package]\nname = "a"\n', /'package' is not a list/],
  [
    'a version that is a number',
    'poetry.lock',
    '[[package]]\nname = "a"\nversion = 1\n',
    /poetry\.lock:1: .*version of 'a'/,
  ],
  ['deep TOML', 'Cargo.lock', `a = ${'['.repeat(20_000)}`, /Cargo\.lock:1: .*not TOML: .*nested/],
  ['a go.sum without hashes', 'go.sum', 'example.com/a v1.0.0\n', /go\.sum:1: .*not a module with its hash/],
  ['a go.mod without a module', 'go.mod', 'require example.com/a v1.0.0\n', /no line 'module'/],
  ['an open block', 'go.mod', 'module a\nrequire (\n', /block 'require' is not closed/],
  ['a requirement without a version', 'go.mod', 'module a\nrequire b\n', /go\.mod:2: .*'b' is not a module/],
  ['a wrong replacement', 'go.mod', 'module a\nreplace b\n', /go\.mod:2: .*not a replacement/],
  ['a Gemfile.lock without sections', 'Gemfile.lock', 'gem "a"\n', /none of the sections GEM/],
  ['a gem without a version', 'Gemfile.lock', 'GEM\n  specs:\n    a\n', /Gemfile\.lock:3: .*'a' is not a gem/],
  ['a conflict of a merge', 'Gemfile.lock', 'GEM\n  specs:\n<<<<<<< HEAD\n', /Gemfile\.lock:3: .*conflict/],
  ['an empty file', 'deno.lock', '', /^dir\/deno\.lock:1: .*it is not JSON/],
  ['a list', 'Pipfile.lock', '[]', /Pipfile\.lock:1: .*not a JSON object/],
  ['half a table', 'uv.lock', '[[package]]\nname = "a"\nsource = {', /uv\.lock:3: .*not TOML/],
  ['a table without a name', 'pdm.lock', '\n[[package]]\nversion = "1"\n', /pdm\.lock:2: .*no name/],
  ['no lock-version', 'pylock.toml', '[[packages]]\nname = "a"\n', /pylock\.toml:1: .*no 'lock-version'/],
  ['packages in a table', 'pylock.toml', 'lock-version = "1.0"\n[packages]\n', /'packages' is not a list/],
  ['no _meta', 'Pipfile.lock', '{"default": {}}', /no object '_meta'/],
  ['a list of packages', 'Pipfile.lock', '{"_meta": {},\n"default":\n[]}', /:3: .*'default' is not a JSON object/],
  [
    'a number as a version',
    'Pipfile.lock',
    '{"_meta": {}, "default": {\n"a": {"version": 1}}}',
    /:2: .*version of 'a'/,
  ],
  ['another object', 'bun.lock', '{"packages": {}}', /no 'lockfileVersion'/],
  ['packages in a list', 'bun.lock', '{"lockfileVersion": 1, "packages": []}', /'packages' is not a JSON object/],
  ['an open comment', 'bun.lock', '{\n/* "lockfileVersion": 1}', /bun\.lock:2: .*it is not JSON/],
  [
    'an entry without a version',
    'bun.lock',
    '{"lockfileVersion": 1, "packages": {\n"a": ["a"]}}',
    /:2: .*entry 'a' in 'packages' does not begin/,
  ],
  ['an entry that is a text', 'bun.lock', '{"lockfileVersion": 1, "packages": {"a": "a@1"}}', /entry 'a' in/],
  ['no version', 'deno.lock', '{"npm": {}}', /no 'version'/],
  [
    'a key without a version',
    'deno.lock',
    '{"version": "5", "npm": {\n"a": {}}}',
    /:2: .*key 'a' in 'npm' has no version/,
  ],
  ['npm in a list', 'deno.lock', '{"version": "5", "npm": []}', /'npm' is not a JSON object/],
  ['no dependencies', 'packages.lock.json', '{"version": 1}', /no object 'dependencies'/],
  ['a text as a package', 'packages.lock.json', '{"dependencies": {"net6.0": {"a": "1"}}}', /entry 'a' in 'net6\.0'/],
  ['no libraries', 'a.deps.json', '{"runtimeTarget": {}}', /no object 'libraries'/],
  ['a text as a library', 'project.assets.json', '{"libraries": {"a/1": "1"}}', /entry 'a\/1' in 'libraries'/],
  ['an empty file', 'pom.xml', '', /pom\.xml:1: .*it has no element/],
  ['half an element', 'pom.xml', '<project>\n<dependencies>', /pom\.xml:2: .*<dependencies> has no end/],
  ['another root', 'pom.xml', '\n<Project/>', /pom\.xml:2: .*root element is not <project>/],
  ['a document type', 'pom.xml', '<!DOCTYPE project [<!ENTITY a "b">]><project/>', /pom\.xml:1: .*document type/],
  ['another root', 'packages.config', '<configuration/>', /root element is not <packages>/],
  ['another root', 'verification-metadata.xml', '<a/>', /root element is not <verification-metadata>/],
  [
    'a component without a name',
    'verification-metadata.xml',
    '<verification-metadata><components>\n<component group="a"/></components></verification-metadata>',
    /:2: .*no group or no name/,
  ],
  ['deep XML', 'pom.xml', `<project>${'<a>'.repeat(20_000)}`, /pom\.xml:1: .*nested too deep/],
  ['a sentence', 'gradle.lockfile', '#\nnot a package\n', /gradle\.lockfile:2: .*'not a package' is not a package/],
  [
    'a binary format',
    'bun.lockb',
    '#!/usr/bin/env bun\nbun-lockfile-format-v0\n\0',
    /binary format of Bun.*bun install --save-text-lockfile/,
  ],
  [
    'bytes that its encoding does not have',
    'pom.xml',
    Buffer.from('<?xml version="1.0" encoding="utf-8"?>\n<project a="\xe9"/>', 'latin1'),
    /not a text in UTF-8/,
  ],
  ['an empty file', 'pubspec.lock', '', /^dir\/pubspec\.lock:1: .*no mapping 'packages'/],
  ['a sentence', 'pubspec.lock', 'no lock file', /pubspec\.lock:1: .*not a YAML mapping/],
  ['packages in a sequence', 'pubspec.lock', 'packages:\n- a\n', /pubspec\.lock:2: .*'packages' is not a mapping/],
  ['a package that is a text', 'pubspec.lock', 'packages:\n  a: "1"\n', /pubspec\.lock:2: .*not a mapping/],
  ['an empty file', 'mix.lock', '', /^dir\/mix\.lock:1: .*the end of the file is not '%\{'/],
  ['no map', 'mix.lock', '\n["a"]', /mix\.lock:2: .*'\[' is not '%\{'/],
  ['half a map', 'mix.lock', '%{\n  "a": {:hex,', /mix\.lock:2: .*it ends early/],
  ['an open text', 'mix.lock', '%{\n  "a": {:hex, "b\n', /mix\.lock:2: .*a text does not end/],
  ['a conflict of a merge', 'mix.lock', '%{\n<<<<<<< HEAD\n', /mix\.lock:2: .*'<<<<<<< HEAD' is not a term/],
  ['wrong brackets', 'mix.lock', '%{"a": {:hex, [}]}', /mix\.lock:1: .*'\}' is not the end of what is open/],
  ['a value without a name', 'mix.lock', '%{\n{:hex}}', /mix\.lock:2: .*'\{' is not the name/],
  ['a name without a value', 'mix.lock', '%{"a", "b"}', /mix\.lock:1: .*'"a"' is not a name with/],
  ['two maps', 'mix.lock', '%{}\n%{}', /mix\.lock:2: .*'%\{' is not the end of the file/],
  ['deep tuples', 'mix.lock', `%{"a": ${'{'.repeat(1000)}`, /mix\.lock:1: .*nested too deep/],
  ['an empty file', 'Package.resolved', '', /^dir\/Package\.resolved:1: .*not JSON/],
  ['no pins', 'Package.resolved', '{"version": 2}', /Package\.resolved:1: .*no list 'pins'/],
  ['a pin that is a text', 'Package.resolved', '{"pins": [\n"a"]}', /Package\.resolved:1: .*not a JSON object/],
  ['a pin without a name', 'Package.resolved', '{"pins": [\n{}]}', /Package\.resolved:2: .*has no name/],
  [
    'a pin without an address',
    'Package.resolved',
    '{"pins": [\n{"identity": "a"}]}',
    /:2: .*'a' in 'pins' has no address/,
  ],
  ['an empty file', 'Podfile.lock', '', /^dir\/Podfile\.lock:1: .*no sequence 'PODS'/],
  ['pods in a mapping', 'Podfile.lock', 'PODS:\n  a: 1\n', /Podfile\.lock:2: .*'PODS' is not a sequence/],
  ['a pod without a version', 'Podfile.lock', 'PODS:\n  - a\n', /Podfile\.lock:2: .*not a pod with its version/],
  ['an empty file', 'conan.lock', '', /^dir\/conan\.lock:1: .*not JSON/],
  ['neither a graph nor a list', 'conan.lock', '{}', /conan\.lock:1: .*neither 'graph_lock' nor/],
  ['a graph that is a list', 'conan.lock', '{"graph_lock": []}', /'graph_lock' is not a JSON object/],
  [
    'nodes in a list',
    'conan.lock',
    '{"graph_lock": {\n"nodes":\n[]}}',
    /conan\.lock:3: .*'nodes' is not a JSON object/,
  ],
  ['requirements in an object', 'conan.lock', '{"requires":\n{}}', /conan\.lock:2: .*'requires' is not a list/],
  ['a number as a reference', 'conan.lock', '{"requires":\n[7]}', /conan\.lock:2: .*'requires' is not a text/],
  ['an empty file', 'renv.lock', '', /^dir\/renv\.lock:1: .*not JSON/],
  ['an empty object', 'renv.lock', '{}', /renv\.lock:1: .*neither 'R' nor 'Packages'/],
  ['packages in a list', 'renv.lock', '{"Packages":\n[]}', /renv\.lock:2: .*'Packages' is not a JSON object/],
  ['a number as a version', 'renv.lock', '{"Packages": {\n"a": {"Version": 1}}}', /renv\.lock:2: .*version of 'a'/],
  ['an empty file', 'cabal.project.freeze', '', /^dir\/cabal\.project\.freeze:1: .*none of the fields constraints/],
  [
    'a constraint without indentation',
    'cabal.project.freeze',
    'constraints: any.a ==1,\nany.b ==2\n',
    /cabal\.project\.freeze:2: .*'any\.b ==2' is neither a field nor a stanza/,
  ],
  ['an empty file', 'stack.yaml.lock', '', /^dir\/stack\.yaml\.lock:1: .*neither 'packages' nor 'snapshots'/],
  ['a package that is a text', 'stack.yaml.lock', 'packages:\n- a\n', /stack\.yaml\.lock:2: .*no mapping 'completed'/],
  ['a snapshot that is a text', 'stack.yaml.lock', 'snapshots:\n- a\n', /stack\.yaml\.lock:2: .*not a mapping/],
  ['a sentence', 'Manifest.toml', 'no manifest\n', /^dir\/Manifest\.toml:1: .*not TOML/],
  ['another format', 'Manifest.toml', 'manifest_format = "3.0"\n', /'manifest_format' is not 1 or 2/],
  ['a package that is a table', 'Manifest.toml', '[A]\nversion = "1"\n', /'A' is not a list of packages/],
  ['a package that is a text', 'Manifest.toml', 'A = ["1"]\n', /an entry of 'A' is not a table/],
  ['a number as a version', 'Manifest.toml', '\n[[A]]\nversion = 1\n', /Manifest\.toml:2: .*version of 'A'/],
  [
    'packages in a list',
    'Manifest.toml',
    'manifest_format = "2.0"\ndeps = []\n',
    /Manifest\.toml:1: .*'deps' is not a table/,
  ],
  ['an empty file', 'action.yml', '', /^dir\/action\.yml:1: .*neither 'jobs' nor 'runs'/],
  ['jobs in a sequence', 'ci.yml', 'on: push\njobs:\n- a\n', /^dir\/ci\.yml:3: .*'jobs' is not a mapping/],
  ['a job that is a text', 'ci.yml', 'on: push\njobs:\n  a: b\n', /ci\.yml:3: .*the job 'a' is not a mapping/],
  ['steps in a mapping', 'action.yml', 'runs:\n  steps:\n    a: b\n', /action\.yml:3: .*'steps' is not a sequence/],
  ['a step that is a text', 'action.yml', 'runs:\n  steps:\n  - a\n', /action\.yml:3: .*'steps' is not a mapping/],
  ['a list in uses', 'action.yml', 'runs:\n  steps:\n  - uses: [a]\n', /action\.yml:3: .*'uses' is not a text/],
  ['an empty use', 'action.yml', 'runs:\n  steps:\n  - uses:\n', /action\.yml:3: .*'uses' is not a text/],
  ['a sentence', 'requirements.txt', '\n\nnot a requirement\n', /requirements\.txt:3: .*'not a requirement' is not/],
]

for (const [what, name, content, message] of FAULTS) {
  test(`${name} with ${what} is an error with its line`, () => {
    assert.match(faultOf(name, content), message)
    assert.not.match(faultOf(name, content), '\n')
  })
}

test('JSON of 1,000 levels is read, deeper JSON is refused', () => {
  const nested = (levels: number) => {
    const open = '"dependencies":{"a":{"version":"1.0.0",'.repeat(levels / 2)
    return Buffer.from(`{${open}"dev":true${'}}'.repeat(levels / 2)}}`)
  }
  assert.is(inventoryOf('a', 'package-lock.json', nested(998)).components.length, 1)
  assert.match(faultOf('package-lock.json', nested(20_000)), 'nested more than 1000 levels deep')
})

const NPM = '{"lockfileVersion":3,"packages":{},"x":'
const PNPM = "lockfileVersion: '9.0'\n"
const CYCLONE_DX = '{"bomFormat":"CycloneDX","components":'

/** Files of `count` units around a bound. */
const BOUNDS: [what: string, name: string, most: number, file: (count: number) => string, message: string][] = [
  ['lines', 'go.sum', MAX_LINES, (lines) => '\n'.repeat(lines - 1), '1,000,000 lines'],
  ['lines', 'go.mod', MAX_LINES, (lines) => `module a${'\r'.repeat(lines - 1)}`, '1,000,000 lines'],
  ['lines', 'a.purl', MAX_LINES, (lines) => '\r\n'.repeat(lines - 1), '1,000,000 lines'],
  ['lines', 'requirements.txt', MAX_LINES, (lines) => '\\\n'.repeat(lines - 1), '1,000,000 lines'],
  ['lines', 'yarn.lock', MAX_LINES, (lines) => `# yarn lockfile v1${'\n'.repeat(lines - 1)}`, '1,000,000 lines'],
  ['lines', 'Gemfile.lock', MAX_LINES, (lines) => `GEM${'\n'.repeat(lines - 1)}`, '1,000,000 lines'],
  [
    'values',
    'package-lock.json',
    MAX_JSON_VALUES,
    // The keys and their values, the object and the list.
    (values) => `${NPM}[${'1,'.repeat(values - 8)}"[[,"]}`,
    '10,000,000 keys and values',
  ],
  [
    'tokens',
    'pnpm-lock.yaml',
    MAX_YAML_TOKENS,
    // Two words, two quotes, a line feed; a word and two brackets.
    (tokens) => `${PNPM}x: [${' a'.repeat(tokens - 8)}]`,
    '1,000,000 tokens of YAML',
  ],
  ['bytes', 'pnpm-lock.yaml', MAX_YAML_CHARACTERS, (length) => PNPM.padEnd(length), 'larger than 16 MiB'],
  ['tokens', 'Cargo.lock', MAX_TOML_TOKENS, (tokens) => `a=[${'1,'.repeat(tokens - 3)}]`, '1,500,000 tokens of TOML'],
  ['lines', 'cabal.project.freeze', MAX_LINES, (lines) => `constraints:${'\n'.repeat(lines - 1)}`, '1,000,000 lines'],
  ['lines', 'mix.lock', MAX_LINES, (lines) => `%{}${'\n'.repeat(lines - 1)}`, '1,000,000 lines'],
  ['entries', 'mix.lock', MAX_ENTRIES, (entries) => `%{${'a: 1,'.repeat(entries)}}`, '500,000 entries'],
  ['entries', 'a.purl', MAX_ENTRIES, (entries) => 'pkg:npm/a\n'.repeat(entries), '500,000 entries'],
  [
    'entries',
    'bom.json',
    MAX_ENTRIES,
    (entries) => `${CYCLONE_DX}[${'{"name":"a"},'.repeat(entries - 1)}{"name":"a"}]}`,
    '500,000 entries',
  ],
  ['lines', 'a.spdx', MAX_LINES, (lines) => `SPDXVersion: SPDX-2.3${'\n'.repeat(lines - 1)}`, '1,000,000 lines'],
  [
    'tokens',
    'a.spdx.yaml',
    MAX_YAML_TOKENS,
    (tokens) => `spdxVersion: SPDX-2.3\nx: [${' a'.repeat(tokens - 6)}]`,
    '1,000,000 tokens of YAML',
  ],
  [
    'elements',
    'bom.xml',
    MAX_XML_NODES,
    // The root and its attribute.
    (nodes) => `${BOM_XML}${'<a/>'.repeat(nodes - 2)}</bom>`,
    '3,000,000 elements and attributes',
  ],
  [
    'values',
    'a.cdx.intoto.json',
    MAX_JSON_VALUES,
    (values) =>
      `{${STATEMENT}, "predicateType": "https://cyclonedx.org/bom", "predicate": ${CYCLONE_DX}[]}, "x": [${'1,'.repeat(values - 14)}1]}`,
    '10,000,000 keys and values',
  ],
]

for (const [what, name, most, file, message] of BOUNDS) {
  test(`${name} with more ${what} than the bound is an error that names the bound and the remedy`, () => {
    inventoryOf('a', name, Buffer.from(file(most)))
    const fault = faultOf(name, file(most + 1))
    assert.match(fault, `dir/${name} is too large for a `)
    assert.match(fault, message)
    assert.match(fault, 'split it and check each part')
  })
}

test('XML in another encoding, which it states, is read', () => {
  const text = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<packages><package id="\xe9" version="1"/></packages>'
  const { components } = inventoryOf('a', 'packages.config', Buffer.from(text, 'latin1'))
  assert.equal(
    components.map(({ name }) => name),
    ['é'],
  )
})

test('properties of a pom.xml do not expand without a bound', () => {
  const properties = Array.from({ length: 1000 }, (_, i) => `<a${i}>${`\${a${i + 1}}`.repeat(9)}</a${i}>`).join('')
  const pom = (version: string, count: number) =>
    `<project><properties><b/>${properties}</properties><dependencies>${`<dependency><groupId>g</groupId><artifactId>a</artifactId><version>${version}</version></dependency>`.repeat(count)}</dependencies></project>`
  assert.equal(
    inventoryOf('a', 'pom.xml', Buffer.from(pom(`\${a0}`, 1))).skipped.map(({ reason }) => reason),
    ['variable', 'transitive'],
  )
  assert.match(faultOf('pom.xml', pom(`\${b}`.repeat(250), 5000)), '1,000,000 uses of properties')
})

test('packages of one name in pnpm-lock.yaml take linear time, and so do lines with U+2028', () => {
  const packages = '  a@1: {bundledDependencies: [x, y]}\n'.repeat(25_000)
  const snapshots = '  a@1(b): {dependencies: {y: z}}\n'.repeat(25_000)
  const { skipped } = inventoryOf(
    'a',
    'pnpm-lock.yaml',
    Buffer.from(`${PNPM}packages:\n${packages}snapshots:\n${snapshots}`),
  )
  assert.is(skipped.length, 25_000)
  const lines = {
    'requirements.txt': ' #'.repeat(2_000_000),
    'go.mod': `module a\n${'//'.repeat(2_000_000)}`,
    'a/go.mod': `module a\ngo 1.0${'-'.repeat(4_000_000)}`,
    'b/go.mod': `module a\n${'a'.repeat(4_000_000)}`,
  }
  for (const [name, text] of Object.entries(lines)) {
    assert.is(inventoryOf('a', basename(name), Buffer.from(`${text}\u2028x`)).skipped.length, 0, name)
  }
  const replacement = `module a\nreplace a => ${' '.repeat(4_000_000)}b\u2028x`
  assert.match(faultOf('go.mod', replacement), 'is not a module with its version')
})

test('the format of a large file is found in linear time', () => {
  const line = (text: string) => text.repeat(1_000_000)
  for (const content of [line('\n'), line(' \r\n'), line('a[\n')])
    assert.match(faultOf('x', content), 'no known format')
})

test('aliases of YAML do not expand', () => {
  const lists = Array.from({ length: 40 }, (_, i) => `a${i + 1}: &a${i + 1} [${'*a'.concat(`${i}, `).repeat(9)}*a${i}]`)
  const text = ["lockfileVersion: '9.0'", 'a0: &a0 [x]', ...lists, 'packages:', '  left@1.0.0: {}', ''].join('\n')
  const { components } = inventoryOf('a', 'pnpm-lock.yaml', Buffer.from(text))
  assert.equal(
    components.map(({ name }) => name),
    ['left'],
  )
  assert.match(faultOf('pnpm-lock.yaml', text.replace('{}', '*a40')), /an entry in 'packages' is not a mapping/)
})

test('aliases of steps and jobs do not expand', () => {
  const steps = `    steps: &s\n${'    - &u {uses: a/b@v1}\n    - *u\n'.repeat(20_000)}`
  const jobs = Array.from({ length: 20_000 }, (_, i) => `  j${i}: {steps: *s}\n`).join('')
  const { components } = inventoryOf('a', 'ci.yml', Buffer.from(`on: push\njobs:\n  a:\n${steps}${jobs}`))
  assert.equal(
    components.map(({ name, line }) => `${name} ${line}`),
    ['a/b 5'],
  )
})

test('keys such as __proto__ are names like others', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
  const entries = names.map((name) => `"node_modules/${name}": {"version": "1.0.0"}`)
  const own = `"__proto__": {"version": "2.0.0"}`
  const npm = (key: string, members: string[]) =>
    inventoryOf('a', 'package-lock.json', Buffer.from(`{"lockfileVersion": 1, "${key}": {\n${members.join(',\n')}}}`))
  assert.equal(
    npm('packages', entries).components.map(({ name, line }) => `${name} ${line}`),
    names.map((name, i) => `${name} ${i + 2}`),
  )
  assert.equal(npm('dependencies', [own]).components, [
    { ecosystem: 'npm', name: '__proto__', version: '2.0.0', purl: null, source: null, line: 2, groups: ['main'] },
  ])
  const pnpm = names.map((name) => `  ${name}@1.0.0: {}\n`).join('')
  const found = inventoryOf('a', 'pnpm-lock.yaml', Buffer.from(`lockfileVersion: '9.0'\npackages:\n${pnpm}`))
  assert.equal(
    found.components.map(({ name }) => name),
    names,
  )
  const yarn = names.map((name) => `${name}@^1:\n  version "1.0.0"\n`).join('')
  assert.is(inventoryOf('a', 'yarn.lock', Buffer.from(`# yarn lockfile v1\n${yarn}`)).components.length, 4)
  assert.is(({} as Record<string, unknown>).version, undefined)
})

test('of equal keys the last counts, with its line', () => {
  const text =
    '{"packages": {\n"node_modules/a": {"version": "1.0.0", "x": [{}]},\n"node_modules/a": {"version": "2.0.0"}}}'
  assert.equal(
    inventoryOf('a', 'package-lock.json', Buffer.from(text)).components.map(
      ({ version, line }) => `${version} ${line}`,
    ),
    ['2.0.0 3'],
  )
})

test('a file with 20,000 packages is read', () => {
  const numbers = Array.from({ length: 20_000 }, (_, i) => i)
  const texts: Record<string, string> = {
    'package-lock.json': `{"packages": {${numbers.map((i) => `"node_modules/p${i}": {"version": "1.0.${i}"}`).join(',\n')}}}`,
    'yarn.lock': `# yarn lockfile v1\n${numbers.map((i) => `p${i}@^1:\n  version "1.0.${i}"\n`).join('\n')}`,
    'Cargo.lock': numbers.map((i) => `[[package]]\nname = "p${i}"\nversion = "1.0.${i}"\nsource = "r"\n`).join('\n'),
    'requirements.txt': numbers.map((i) => `p${i}==1.0.${i}`).join('\n'),
    'mix.lock': `%{\n${numbers.map((i) => `"p${i}": {:hex, :p${i}, "1.0.${i}", "7", [:mix], [], "hexpm"},`).join('\n')}}`,
    'pubspec.lock': `packages:\n${numbers.map((i) => `  p${i}:\n    version: "1.0.${i}"\n`).join('')}`,
    'cabal.project.freeze': `constraints: ${numbers.map((i) => `any.p${i} ==1.0.${i}`).join(',\n  ')}`,
    'Manifest.toml': numbers.map((i) => `[[p${i}]]\nversion = "1.0.${i}"\n`).join(''),
    'action.yml': `runs:\n  steps:\n${numbers.map((i) => `  - uses: a/p${i}@v1.0.${i}\n`).join('')}`,
    'uv.lock': numbers
      .map((i) => `[[package]]\nname = "p${i}"\nversion = "1.0.${i}"\ndependencies = [{ name = "p${i + 1}" }]\n`)
      .join('\n'),
    'bun.lock': `{"lockfileVersion": 1, "packages": {${numbers.map((i) => `"p${i}": ["p${i}@1.0.${i}", "", {"dependencies": {"p${i + 1}": ""}}, ""],`).join('\n')}}}`,
    'pom.xml': `<project><properties><v>1</v></properties><dependencies>${numbers.map((i) => `<dependency><groupId>g</groupId><artifactId>p${i}</artifactId><version>\${v}.${i}</version></dependency>`).join('\n')}</dependencies></project>`,
    'purls.purl': numbers.map((i) => `pkg:npm/p${i}@1.0.${i}`).join('\n'),
  }
  for (const [name, text] of Object.entries(texts)) {
    assert.is(inventoryOf(name, name, Buffer.from(text)).components.length, numbers.length, name)
  }
})

/** A file with a part cut out, repeated or replaced. */
const damaged = fc
  .record({
    path: fc.constantFrom(...FILES),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.integer({ min: 0, max: 60 }),
    by: fc.oneof(
      fc.constantFrom('', '\n', '"', '{', '[', '}', ']', ':', ',', '==', '@', '__proto__', '\u2028', ' '.repeat(300)),
      fc.string({ unit: codePoint, maxLength: 8 }),
    ),
  })
  .map(({ path, at, length, by }) => {
    const bytes = bytesOf(path)
    const start = Math.floor(at * bytes.length)
    return { path, bytes: Buffer.concat([bytes.subarray(0, start), Buffer.from(by), bytes.subarray(start + length)]) }
  })

property(
  'a damaged file is read, or an error that names the file',
  [damaged],
  ({ path, bytes }) => {
    for (const name of [basename(path), 'audited']) {
      try {
        for (const { name: found, version, line } of inventoryOf('dir/file', name, bytes).components) {
          assert.ok(found !== '' && version !== '')
          assert.ok(line === null || line > 0)
        }
      } catch (error) {
        if (!(error instanceof InventoryError)) throw error
        assert.match(error.message, /^dir\/file/)
      }
    }
  },
  100,
)

test.run()
