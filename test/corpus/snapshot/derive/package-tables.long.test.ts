/** 500,000 advisories of 300,000 packages: what their tables hold in memory, and that all are found. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveId } from '../../../../corpus/model/ids/cve-id.ts'
import { decodeTable } from '../../../../corpus/snapshot/codec/table.ts'
import { LISTS } from '../../../../corpus/snapshot/cursor/lists.ts'
import type { AdvisoryRows, PackageRows } from '../../../../corpus/snapshot/derive/advisory-rows.ts'
import { aliasesOf, aliasSets, decodeAliases, encodeAliases } from '../../../../corpus/snapshot/derive/aliases.ts'
import { packageRows } from '../../../../corpus/snapshot/derive/list-rows.ts'
import { decodeListTable, encodeList } from '../../../../corpus/snapshot/derive/lists.ts'
import {
  decodeHashedIndex,
  encodeHashedIndex,
  hashedPositions,
} from '../../../../corpus/snapshot/derive/package-tables.ts'
import { inMainOrder, sortList } from '../../../../corpus/snapshot/derive/sorted-list.ts'
import { seeded } from '../query/sample.ts'

const ADVISORIES = 500_000
const PACKAGES = 300_000
const MB = 1e6

const random = seeded(7)
const LETTERS = '23456789cfghjmpqrvwx'
const word = (length: number) => Array.from({ length }, () => LETTERS[Math.floor(random() * LETTERS.length)]!).join('')

/** Half of the advisories name a CVE, as in the exports of OSV without malware. */
function advisoryRows(): AdvisoryRows {
  const keys: string[] = []
  const aliases: string[][] = []
  const cveIds: CveId[][] = []
  for (let i = 0; i < ADVISORIES; i++) {
    const year = 2015 + (i % 10)
    if (i % 2 === 0) {
      const cveId: CveId = `CVE-${year}-${1000 + Math.floor(i / 10)}`
      keys.push(i % 8 === 0 ? `PYSEC-${year}-${i}` : `GHSA-${word(4)}-${word(4)}-${word(4)}`)
      aliases.push([cveId])
      cveIds.push([cveId])
    } else {
      keys.push(`MAL-${year}-${i}`)
      aliases.push([])
      cveIds.push([])
    }
  }
  const at = keys.map((_, i) => i * 500)
  return { keys, at, length: keys.map(() => 500), aliases, cveIds, rows: [] }
}

const ECOSYSTEMS = ['npm', 'npm', 'npm', 'PyPI', 'Packagist', 'Maven', 'Go', 'crates.io'] as const

function packageRowsOf(advisories: readonly string[]): PackageRows {
  const packages = Array.from({ length: PACKAGES }, (_, i) => {
    const ecosystem = ECOSYSTEMS[i % ECOSYSTEMS.length]!
    const name = `${word(4 + (i % 9))}-${i}`
    return { ecosystem, name, purl: `pkg:${ecosystem}/${name}` }
  })
  return {
    keys: packages.map(({ ecosystem, name }) => `${ecosystem}/${name}`),
    at: packages.map((_, i) => i * 900),
    length: packages.map(() => 900),
    packages,
    ecosystems: packages.map(({ ecosystem }) => [ecosystem]),
    advisories: packages.map((_, i) => [advisories[i]!, advisories[ADVISORIES - 1 - i]!]),
  }
}

/** Returns the bytes that numbers and packed texts take, as in a thread that receives them. */
function heldBytes(value: unknown, buffers = new Set<ArrayBufferLike>()): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  if (ArrayBuffer.isView(value)) {
    if (buffers.has(value.buffer)) return 0
    buffers.add(value.buffer)
    return value.buffer.byteLength
  }
  return Object.values(value).reduce<number>((sum, one) => sum + heldBytes(one, buffers), 0)
}

const advisories = advisoryRows()
const packages = packageRowsOf(advisories.keys)
const sets = aliasSets(advisories)

/** Asserts a bound in bytes per entry, and prints the size. */
function holds(what: string, value: unknown, entries: number, most: number): void {
  const bytes = heldBytes(value)
  console.log(`\n# ${what}: ${entries} entries, ${(bytes / MB).toFixed(1)} MB`)
  assert.ok(bytes <= entries * most, `${bytes / entries} bytes per entry`)
}

test('an index takes 16 bytes per member, and finds all', () => {
  for (const [role, rows] of Object.entries({ advisories, packages })) {
    const index = decodeHashedIndex(decodeTable(encodeHashedIndex(rows)), 1024)
    holds(`index ${role}`, index, rows.keys.length, 16.1)
    for (let i = 0; i < rows.keys.length; i += 97) {
      assert.is(hashedPositions(index, rows.keys[i]!)[0]!.at, rows.at[i])
    }
  }
})

test('the table of aliases takes 20 bytes per id, and finds all', () => {
  const bytes = encodeAliases(sets)
  const aliases = decodeAliases(bytes)
  holds('aliases', aliases, aliases.hashHigh.length, 20.1)
  for (let i = 0; i < ADVISORIES; i += 97) {
    const expected = advisories.aliases[i]!.length === 0 ? null : sets.ids.length
    const found = aliasesOf(aliases, advisories.keys[i]!, (at, length) => bytes.subarray(at, at + length))
    if (expected === null) assert.is(found, null)
    else assert.ok(found!.includes(advisories.keys[i]!) && found!.includes(advisories.aliases[i]![0]!))
  }
})

test('the list of packages takes at most 40 bytes per row', () => {
  const list = sortList('packages', inMainOrder(LISTS.packages, packageRows(packages, sets)))
  const pages = { advisories: new Uint32Array(Math.ceil(PACKAGES / 100)) }
  const cves = { starts: new Uint32Array(PACKAGES + 1), ordinals: new Uint32Array() }
  const table = decodeListTable(
    'packages',
    encodeList(list, { pagesAt: pages, entries: null }, { cves, products: null }),
  )
  holds('list packages', table, PACKAGES, 40)
})

test.run()
