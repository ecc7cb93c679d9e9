/** Writes the advisories of an ingest: the record as published, and what it states about each package. */
import { hash } from 'node:crypto'
import type Database from 'better-sqlite3'
import type { PublishedAdvisory } from '../model/claim.ts'
import { type PackedText, packText } from './packed-text.ts'

export interface PackedAdvisory {
  modified: string | null
  digest: Uint8Array
  body: PackedText
  packages: { key: string; purl: string | null; digest: Uint8Array; body: PackedText }[]
}

/** Compresses a record and its statements. Ingests call it on worker threads. */
export function packAdvisory({ modified, text, packages }: PublishedAdvisory): PackedAdvisory {
  return {
    modified,
    digest: digestOf(text),
    body: packText(text),
    packages: packages.map(({ key, purl, text }) => ({
      key,
      purl,
      digest: digestOf(`${text}\n${purl ?? ''}`),
      body: packText(text),
    })),
  }
}

const digestOf = (text: string): Uint8Array => Uint8Array.from(hash('sha256', text, 'buffer').subarray(0, 16))

export interface AdvisoryRows {
  /** Writes the record of an item, and removes what it stated before. Rows with equal digests are not written. */
  put(feed: string, id: string, advisory: PackedAdvisory): void
  /** Deletes the record of an item, and what it stated. */
  remove(feed: string, id: string): void
  /** Deletes the records of a feed whose items have no claim: the feed does not state them any more. */
  settle(feed: string): void
}

export function openAdvisoryRows(database: Database.Database): AdvisoryRows {
  const digest = database
    .prepare<[string, string], Uint8Array>('SELECT digest FROM advisory WHERE feed = ? AND id = ?')
    .pluck()
  const insert = database.prepare('INSERT INTO advisory (id, feed, modified, digest, body) VALUES (?, ?, ?, ?, ?)')
  const update = database.prepare('UPDATE advisory SET modified = ?, digest = ?, body = ? WHERE feed = ? AND id = ?')
  const packages = database
    .prepare<[string, string], string>('SELECT package FROM package_advisory WHERE feed = ? AND id = ?')
    .pluck()
  const putPackage = database.prepare(
    `INSERT INTO package_advisory (package, id, feed, digest, purl, body) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET digest = excluded.digest, purl = excluded.purl, body = excluded.body
        WHERE digest <> excluded.digest`,
  )
  const removePackage = database.prepare('DELETE FROM package_advisory WHERE feed = ? AND id = ? AND package = ?')
  const removePackages = database.prepare('DELETE FROM package_advisory WHERE feed = ? AND id = ?')
  const removeRecord = database.prepare('DELETE FROM advisory WHERE feed = ? AND id = ?')
  const unstated = database
    .prepare<[string], string>(
      `SELECT id FROM advisory AS a WHERE feed = ?
        AND NOT EXISTS (SELECT 1 FROM claim AS c INDEXED BY claim_by_feed WHERE c.feed = a.feed AND c.item = a.id)`,
    )
    .pluck()
  const remove = (feed: string, id: string) => {
    removePackages.run(feed, id)
    removeRecord.run(feed, id)
  }
  return {
    remove,
    put(feed, id, advisory) {
      const before = digest.get(feed, id)
      if (before === undefined) insert.run(id, feed, advisory.modified, advisory.digest, advisory.body)
      else {
        if (Buffer.compare(before, advisory.digest) !== 0)
          update.run(advisory.modified, advisory.digest, advisory.body, feed, id)
        const keys = new Set(advisory.packages.map(({ key }) => key))
        for (const key of packages.all(feed, id)) if (!keys.has(key)) removePackage.run(feed, id, key)
      }
      for (const { key, digest, purl, body } of advisory.packages) putPackage.run(key, id, feed, digest, purl, body)
    },
    settle(feed) {
      for (const id of unstated.all(feed)) remove(feed, id)
    },
  }
}
