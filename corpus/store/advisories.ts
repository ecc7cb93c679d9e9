/** Reads the advisories of the corpus, and what they state about packages. */
import { hash } from 'node:crypto'
import type Database from 'better-sqlite3'
import { type PackedText, unpackText } from './packed-text.ts'

/** Keys, sorted by bytes. `digests` has 16 bytes for each key, in the same order. */
export interface KeyedDigests {
  keys: string[]
  digests: Uint8Array
}

export interface StoredPackage {
  /** 16 bytes. */
  digest: Uint8Array
  purl: string | null
  /** The JSON of a `PackageAdvisory` each, by id. */
  advisories: string[]
}

export interface Advisories {
  /** Returns the ids of all advisories. */
  digests(): KeyedDigests
  /** Returns undefined for an unknown id. */
  record(id: string): { digest: Uint8Array; text: string } | undefined
  /** Returns the keys of all packages (`npm/@scope/name`), each with a digest of what is stated about it. */
  packages(): KeyedDigests
  package(key: string): StoredPackage
}

const statesPackages = (row: string) =>
  `EXISTS (SELECT 1 FROM package_advisory AS p WHERE p.feed = ${row}.feed AND p.id = ${row}.id)`

/**
 * True for the rows of `a` that count. An id that both the export (`osv`) and GitHub's repository (`ghsa`) have is taken
 * from the export, unless the record in the repository is newer. A published record precedes one derived from a CVE
 * record (`cvelist`) if it states packages. A withdrawn one, or one about commits, would hide those of the CVE record.
 */
const COUNTS = `
  NOT EXISTS (SELECT 1 FROM advisory AS o WHERE o.id = a.id AND o.feed <> a.feed
    AND CASE
      WHEN a.feed = 'cvelist' THEN ${statesPackages('o')}
      WHEN o.feed = 'cvelist' THEN NOT ${statesPackages('a')}
      WHEN a.feed = 'osv' THEN o.modified > a.modified
      ELSE coalesce(o.modified >= a.modified, 1) END)`

export function readAdvisories(database: Database.Database): Advisories {
  const digests = database
    .prepare<[], [string, string]>(
      `SELECT id, hex(digest) FROM advisory AS a INDEXED BY advisory_by_id WHERE ${COUNTS} ORDER BY id`,
    )
    .raw()
  const record = database.prepare<[string], { digest: Uint8Array; body: PackedText }>(
    `SELECT digest, body FROM advisory AS a WHERE id = ? AND ${COUNTS}`,
  )
  const superseded = database
    .prepare<[], string>(`SELECT feed || ' ' || id FROM advisory AS a INDEXED BY advisory_by_id WHERE NOT (${COUNTS})`)
    .pluck()
  const statements = database
    .prepare<[], [string, string, string, string]>(
      `SELECT package, id, feed, hex(digest) FROM package_advisory INDEXED BY package_advisory_digests
        ORDER BY package, id`,
    )
    .raw()
  const ofPackage = database.prepare<[string], { id: string; digest: string; purl: string | null; body: PackedText }>(
    // Reads only the index: rows of `advisory` contain the large bodies.
    `SELECT p.id, hex(p.digest) AS digest, purl, p.body
      FROM package_advisory AS p JOIN advisory AS a INDEXED BY advisory_by_id ON a.id = p.id AND a.feed = p.feed
      WHERE package = ? AND ${COUNTS} ORDER BY p.id`,
  )
  return {
    digests() {
      const collected = digestCollector()
      for (const [id, digest] of digests.iterate()) collected.add(id, digest)
      return collected.digests()
    },
    record(id) {
      const found = record.get(id)
      return found && { digest: found.digest, text: unpackText(found.body) }
    },
    packages() {
      const packages = digestCollector()
      let key: string | null = null
      let stated = ''
      const finish = () => {
        if (key !== null) packages.add(key, digestOf(stated).toString('hex'))
        stated = ''
      }
      // A join would look up each statement in another place of the file.
      const without = new Set(superseded.all())
      for (const [of, id, feed, digest] of statements.iterate()) {
        if (without.has(`${feed} ${id}`)) continue
        if (of !== key) finish()
        key = of
        stated += lineOf(id, digest)
      }
      finish()
      return packages.digests()
    },
    package(key) {
      const rows = ofPackage.all(key)
      const purl = rows.find((row) => row.purl !== null)?.purl ?? null
      return {
        digest: digestOf(rows.map(({ id, digest }) => lineOf(id, digest)).join('')),
        purl,
        advisories: rows.map(({ body }) => unpackText(body)),
      }
    },
  }
}

/** Joins digests as text, because half a million Buffers would take 150 MB more. */
function digestCollector() {
  const keys: string[] = []
  const digests: string[] = []
  return {
    /** `digest` in hexadecimal digits. */
    add(key: string, digest: string): void {
      keys.push(key)
      digests.push(digest)
    },
    digests: (): KeyedDigests => ({ keys, digests: Buffer.from(digests.join(''), 'hex') }),
  }
}

const lineOf = (id: string, digest: string): string => `${id}\n${digest}\n`
const digestOf = (stated: string): Buffer => hash('sha256', stated, 'buffer').subarray(0, 16)
