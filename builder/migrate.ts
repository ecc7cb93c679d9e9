/** `vulnshelf migrate`: brings a corpus that an earlier version wrote to the current schema. The old file is kept. */
import { copyFileSync, linkSync, statSync } from 'node:fs'
import type { Effects } from '../corpus/command/effects.ts'
import { writingTo } from '../corpus/command/system-error.ts'
import { accessError, StoreError } from '../corpus/store/error.ts'
import { writeMigrated } from '../corpus/store/migrations.ts'
import { SCHEMA_VERSION, schemaOf } from '../corpus/store/schema.ts'

export interface MigrateReport {
  /** Versions of the schema, before and after. Equal if there was nothing to do. */
  from: number
  to: number
  /** The old file; null if there was nothing to do. */
  kept: string | null
  bytes: { before: number; after: number }
}

/**
 * Migrates the corpus at `path`. A killed migration leaves the corpus as it was.
 * @throws StoreError if it is not a corpus, or cannot be migrated; `busy` while it is in use
 */
export async function migrate(path: string, effects: Effects): Promise<MigrateReport> {
  const from = schemaOf(path)
  const before = statSync(path).size
  if (from === SCHEMA_VERSION) return { from, to: from, kept: null, bytes: { before, after: before } }
  const newFile = `${path}.new`
  const kept = `${path}.schema-${from}`
  return writingTo(path, async () => {
    for (const suffix of ['', '-journal', '-wal', '-shm']) await effects.remove(newFile + suffix)
    const { done } = effects.commit('migration', () => written(path, newFile))
    try {
      await effects.sync(newFile)
      keep(path, kept)
      await effects.rename(newFile, path)
    } finally {
      done()
    }
    return { from, to: SCHEMA_VERSION, kept, bytes: { before, after: statSync(path).size } }
  })
}

function written(path: string, newFile: string) {
  try {
    return writeMigrated(path, newFile)
  } catch (cause) {
    if ((cause as { code?: unknown }).code === 'SQLITE_BUSY') {
      throw new StoreError('busy', `${path} is in use; end the programs that read or write it`, { cause })
    }
    throw accessError(path, cause, { readonly: false })
  }
}

/** Gives the corpus a second name. A killed migration may have done so already. */
function keep(path: string, kept: string): void {
  const known = statSync(kept, { throwIfNoEntry: false })
  if (known?.ino === statSync(path).ino) return
  if (known)
    throw new StoreError('exists', `${kept} exists already; move it away, because the old corpus gets this name`)
  try {
    linkSync(path, kept)
  } catch {
    // Some file systems have no links.
    copyFileSync(path, kept)
  }
}
