/**
 * The files of a feed. A feed is asked once for each CVE and writes the files of all nights in that pass, so that a
 * record is generated once.
 */
import { dirname } from 'node:path'
import { cutOf, nightDate } from './calendar.ts'
import { type SampleFile, textFile } from './disk.ts'
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
export interface Folder {
  create(path: string): Promise<SampleFile>
}

/** Returns the outputs of a feed. */
export type SampleFeed = (world: World, folder: Folder) => Output[] | Promise<Output[]>

/** The text of an item from a night until its next edition. Without text, the item is missing from that night on. */
export interface Edition {
  night: number
  text: string
}

/** Editions of one item, sorted by night. The entries of zip files have names. */
export interface Item {
  name?: string
  editions: readonly Edition[]
}

type ItemsOf = (facts: Facts) => Iterable<Item>

/** Returns an item that may change in one night. */
export function edited(from: number, changedIn: number | null, text: (night: number) => string, name?: string): Item {
  const nights = changedIn === null ? [from] : [from, changedIn]
  return { ...(name ? { name } : {}), editions: nights.map((night) => ({ night, text: text(night) })) }
}

export const nightsOf = (world: World) => Array.from({ length: world.nights }, (_, night) => night)

/**
 * Returns the path of a night's file. Files without a date in them are in folders named after the date. That includes
 * the newest one, because a path without a date counts as older than one with a date. A single night has upstream's
 * path.
 */
export function datedFolder(world: World, path: string): (night: number) => string {
  return (night) => (world.nights === 1 ? path : `${dirname(path)}/${nightDate(night)}/${path.split('/').at(-1)}`)
}

interface NightFile {
  night: number
  path: string
  records: number
  add(edition: Edition, name: string, isFirst: boolean): Promise<void>
  end(records: number): Promise<number>
}

/** Writes the edition that is valid in the night of each file. With `isDelta`, only what changed in that night. */
function output(files: readonly NightFile[], itemsOf: ItemsOf, isDelta: boolean): Output {
  return {
    add: async (facts) => {
      for (const { name = '', editions } of itemsOf(facts)) {
        for (const file of files) {
          const edition = editions.findLast((one) => one.night <= file.night)
          if (!edition?.text || (isDelta && edition.night !== file.night)) continue
          await file.add(edition, name, file.records++ === 0)
        }
      }
    },
    end: async () => {
      const written: WrittenFile[] = []
      for (const file of files)
        written.push({ path: file.path, bytes: await file.end(file.records), records: file.records })
      return written
    },
  }
}

export interface TextLayout {
  /** The path in a night. */
  path(night: number): string
  /** Text before, between and after the items. */
  head?(night: number): string
  between?: string
  tail?(records: number): string
}

/** Writes a text file for each of the nights. */
export async function textOutput(
  folder: Folder,
  nights: readonly number[],
  { path: pathOf, head = () => '', between = '', tail = () => '' }: TextLayout,
  itemsOf: ItemsOf,
): Promise<Output> {
  const opened = nights.map(async (night): Promise<NightFile> => {
    const path = pathOf(night)
    const file = textFile(await folder.create(path), path.endsWith('.gz'))
    await file.write(head(night))
    const add: NightFile['add'] = ({ text }, _, isFirst) => file.write(isFirst ? text : between + text)
    const end: NightFile['end'] = async (records) => {
      await file.write(tail(records))
      return file.end()
    }
    return { night, path, records: 0, add, end }
  })
  return output(await Promise.all(opened), itemsOf, false)
}

/** Writes a zip for each night. With `isDelta`, each has what changed in that night, and the first night has none. */
export async function zipOutput(
  world: World,
  folder: Folder,
  pathOf: (night: number) => string,
  itemsOf: ItemsOf,
  isDelta = false,
): Promise<Output> {
  const packed = new WeakMap<Edition, Packed>()
  const nights = isDelta ? nightsOf(world).slice(1) : nightsOf(world)
  const opened = nights.map(async (night): Promise<NightFile> => {
    const zip = zipWriter(await folder.create(pathOf(night)), new Date(cutOf(night)))
    const add: NightFile['add'] = (edition, name) => {
      const content = packed.get(edition) ?? pack(Buffer.from(edition.text))
      packed.set(edition, content)
      return zip.add(name, content)
    }
    return { night, path: pathOf(night), records: 0, add, end: zip.end }
  })
  return output(await Promise.all(opened), itemsOf, isDelta)
}

/** Writes files that are known only when all CVEs were seen. */
export function finalOutput(write: () => Promise<WrittenFile[]>, add: Output['add'] = async () => {}): Output {
  return { add, end: write }
}

export async function writeFile(folder: Folder, path: string, text: string, records: number): Promise<WrittenFile> {
  const file = textFile(await folder.create(path), path.endsWith('.gz'))
  await file.write(text)
  return { path, records, bytes: await file.end() }
}

/** Formats JSON as PHP does, for two feeds: indented by four, with slashes and non-ASCII characters escaped. */
export function escapedJson(value: unknown): string {
  return JSON.stringify(value, null, 4)
    .replaceAll('/', '\\/')
    .replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
