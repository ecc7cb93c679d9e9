/** Lock files and SBOMs of osv-scalibr's tests: each is read as that project reads it, or the difference has a reason. */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { InventoryError } from '../../corpus/inventory/error.ts'
import { inventoryOf } from '../../corpus/inventory/read.ts'
import { LOCK_FILES, needs } from '../support/needs.ts'

needs('lock files')

interface Expected {
  packages: [name: string, version: string][]
  error: boolean
}

const expected = JSON.parse(readFileSync(join(LOCK_FILES, 'expected.json'), 'utf8')) as Record<string, Expected>

const NO_VERSION = 'packages from Git without a version are skipped, and named'
const UV = 'the table names the packages that a group states, and none else'
const NO_PURL = 'packages without a purl are skipped, and named'
const LOCAL = 'packages of the project itself are skipped, and named'

/** Files whose packages differ: how many are missing and added, and why. */
const DIFFERENCES: Readonly<Record<string, readonly [missing: number, added: number, reason: string]>> = {
  'language/dotnet/depsjson/nopackagename': [1, 0, LOCAL],
  'language/erlang/mixlock/git.lock': [3, 0, NO_VERSION],
  'language/golang/gomod/indirect-1.16.mod': [
    2,
    1,
    'the others are in go.sum; the version of Go is the package stdlib',
  ],
  'language/java/pomxml/interpolation.xml': [1, 0, 'ranges of versions are skipped, and named'],
  'language/javascript/packagelockjson/commits.v1.json': [10, 0, NO_VERSION],
  'language/javascript/pnpmlock/files.yaml': [4, 0, LOCAL],
  'language/javascript/yarnlock/exclude-root.v2.lock': [1, 0, LOCAL],
  'language/python/uvlock/grouped-packages.lock': [0, 11, UV],
  'language/python/uvlock/one-package.lock': [0, 1, UV],
  'language/r/renvlock/with-mixed-sources.lock': [0, 1, 'packages from GitHub count by their name and version'],
  'language/ruby/gemfilelock/has-local-gem.lock': [1, 0, LOCAL],
  'sbom/cdx/sbom.bom.xml': [0, 1, 'that project knows the format by other names alone'],
  'sbom/cdx/sbom.cdx.xml': [1, 0, NO_PURL],
  'sbom/spdx/dhi/.spdx.dhi-pkg-python.json': [1, 1, 'the name has the namespace of its purl'],
  'sbom/spdx/external_refs.spdx.json': [3, 1, 'the same; the name has the namespace of its purl'],
  'sbom/spdx/sbom.spdx.yml': [1, 0, NO_PURL],
}

/** Files that are an error here. */
const REFUSED: Readonly<Record<string, string>> = {
  'language/golang/gomod/replace-different.mod': 'a go.mod has a line `module`',
  'language/golang/gomod/replace-no-version.mod': 'a go.mod has a line `module`',
  'language/javascript/vsix/empty_archive.vsix': 'an archive is no text',
}

/** Files of formats that are not read, and manifests. */
const UNREAD = 64

test('each file has the packages that osv-scalibr finds', () => {
  const wrong: string[] = []
  let unread = 0
  for (const [path, { packages, error }] of Object.entries(expected)) {
    try {
      const { components } = inventoryOf(path, basename(path), readFileSync(join(LOCK_FILES, path)))
      const right = new Set(packages.map((one) => one.join('@')))
      const found = new Set(components.map(({ name, version }) => `${name}@${version}`))
      const [missing, added] = DIFFERENCES[path] ?? [0, 0]
      const differs = right.difference(found).size !== missing || found.difference(right).size !== added
      if (error || differs) wrong.push(`${path}: ${[...found]}`)
    } catch (cause) {
      if (!(cause instanceof InventoryError)) throw cause
      if (cause.code === 'unknown-format') unread++
      else if (!error && REFUSED[path] === undefined) wrong.push(cause.message)
    }
  }
  assert.equal(wrong, [])
  assert.is(unread, UNREAD)
  assert.ok(Object.keys(expected).length >= 160)
})

test.run()
