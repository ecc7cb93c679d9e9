/**
 * The files of a feed. A feed is asked once for each CVE and writes the files of all nights in that pass, so that a
 * record is generated once.
 */
import { dirname } from 'node:path'
import { cutOf, nightDate } from './calendar.ts'
import { type SampleDisk, textFile } from './disk.ts'
import type { Facts, World } from './world.ts'
import { type Packed, pack, zipWriter } from './zip.ts'

/** A written file. `path` is relative to the feeds folder. */
export interface WrittenFile {
  path: string
  records: number
  bytes: number
}

export interface Output {
  add(facts: Facts): Promise<void>
  /** Completes the files of the output. */
  end(): Promise<WrittenFile[]>
}

/** The feeds folder: creates files by their paths in it. */
export type Folder = Pick<SampleDisk, 'create'>

/** Returns the outputs of a feed. */
export type SampleFeed = (world: World, folder: Folder) => Output[] | Promise<Output[]>

/** The text of an item from a night until its next edition. Without text, the item is missing from that night on. */
export interface Edition {
  night: number
  text: string
}

/** Editions of one item, sorted by night. */
export type Item = readonly Edition[]

export interface TextLayout {
  /** The path in a night. */
  path(night: number): string
  /** Text before, between and after the items. */
  head?(night: number): string
  between?: string
  tail?: string
}

/**
 * Returns the path of a night's file. Files without a date in them are in folders named after the date. That includes
 * the newest one, because a path without a date counts as older than one with a date. A single night has upstream's
 * path.
 */
export function datedFolder(world: World, path: string): (night: number) => string {
  return (night) => (world.nights === 1 ? path : `${dirname(path)}/${nightDate(night)}/${path.split('/').at(-1)}`)
}

const nightsOf = (world: World) => Array.from({ length: world.nights }, (_, night) => night)
/** Returns the edition that is valid in a night. */
const editionOf = (item: Item, night: number) => item.findLast((one) => one.night <= night)

export async function textOutput(
  world: World,
  folder: Folder,
  { path, head = () => '', between = '', tail = '' }: TextLayout,
  itemsOf: (facts: Facts) => Iterable<Item>,
): Promise<Output> {
  const files = await Promise.all(
    nightsOf(world).map(async (night) => {
      const file = await textFile(await folder.create(path(night)), path(night).endsWith('.gz'))
      await file.write(head(night))
      return { path: path(night), file, records: 0 }
    }),
  )
  return {
    add: async (facts) => {
      for (const item of itemsOf(facts)) {
        for (const [night, output] of files.entries()) {
          const text = editionOf(item, night)?.text
          if (text) await output.file.write(output.records++ === 0 ? text : between + text)
        }
      }
    },
    end: async () => {
      const written: WrittenFile[] = []
      for (const { path, file, records } of files) {
        await file.write(tail)
        written.push({ path, records, bytes: await file.end() })
      }
      return written
    },
  }
}

/** The entries of zip files by name. */
export type Entries = (facts: Facts) => Iterable<{ name: string; item: Item }>

/** Writes a zip for each night. With `delta`, each has what changed in that night, and the first night has none. */
export async function zipOutput(
  world: World,
  folder: Folder,
  path: (night: number) => string,
  entriesOf: Entries,
  delta = false,
): Promise<Output> {
  const nights = delta ? nightsOf(world).slice(1) : nightsOf(world)
  const zips: { night: number; path: string; zip: Awaited<ReturnType<typeof zipWriter>>; records: number }[] = []
  for (const night of nights) {
    const zip = await zipWriter(folder, path(night), new Date(cutOf(night)))
    zips.push({ night, path: path(night), zip, records: 0 })
  }
  return {
    add: async (facts) => {
      for (const { name, item } of entriesOf(facts)) {
        const packed = new Map<Edition, Packed>()
        for (const output of zips) {
          const edition = editionOf(item, output.night)
          if (!edition || (delta && edition.night !== output.night)) continue
          if (!packed.has(edition)) packed.set(edition, pack(Buffer.from(edition.text)))
          output.records++
          await output.zip.add(name, packed.get(edition)!)
        }
      }
    },
    end: async () => {
      const written: WrittenFile[] = []
      for (const { path, zip, records } of zips) written.push({ path, records, bytes: await zip.end() })
      return written
    },
  }
}

/** Writes files that are known only when all CVEs were seen. */
export function finalOutput(write: () => Promise<WrittenFile[]>, add: Output['add'] = async () => {}): Output {
  return { add, end: write }
}

export async function writeFile(folder: Folder, path: string, text: string, records: number): Promise<WrittenFile> {
  const file = await textFile(await folder.create(path), path.endsWith('.gz'))
  await file.write(text)
  return { path, records, bytes: await file.end() }
}

/** Formats JSON as PHP does, for two feeds: indented by four, with slashes and non-ASCII characters escaped. */
export function escapedJson(value: unknown): string {
  return JSON.stringify(value, null, 4)
    .replaceAll('/', '\\/')
    .replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Returns the editions of an item that may change in one night. */
export function edited(from: number, changedIn: number | null, text: (night: number) => string): Edition[] {
  const nights = changedIn === null ? [from] : [from, changedIn]
  return nights.map((night) => ({ night, text: text(night) }))
}
