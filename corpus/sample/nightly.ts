/** Writes feeds with one file per night. The files of all nights are written in one pass over the CVEs. */
import { cutOf, nightDate } from './calendar.ts'
import type { FeedFolder, WrittenFile } from './feeds/feed.ts'
import { textFile } from './text-file.ts'
import type { Facts, World } from './world.ts'
import { pack, zipWriter } from './zip.ts'

/** The text of an item from a night until its next edition. An item has at least one edition, sorted by night. */
export interface Edition {
  night: number
  text: string
}

export interface TextLayout {
  path: string
  gzip: boolean
  /** Text before, between and after the items. */
  head?: string
  between?: string
  tail?: string
}

export interface ZipEntry {
  name: string
  editions: readonly Edition[]
}

/**
 * Returns the path of a night's file. Files without a date in them are in folders named after the date. That includes
 * the newest one, because a path without a date counts as older than one with a date. A single night has upstream's
 * path.
 */
export function nightPath(world: World, night: number, path: string): string {
  return world.nights === 1 ? path : `${nightDate(night)}/${path}`
}

export async function writeTexts(
  world: World,
  folder: FeedFolder,
  { path, gzip, head = '', between = '', tail = '' }: TextLayout,
  thingsOf: (facts: Facts) => Iterable<readonly Edition[]>,
): Promise<WrittenFile[]> {
  const outputs = []
  for (let night = 0; night < world.nights; night++) {
    const position = nightPath(world, night, path)
    const file = await textFile(await folder.create(position), gzip)
    await file.write(head)
    outputs.push({ position, file, records: 0 })
  }
  for (let index = 0; index < world.records; index++) {
    for (const editions of thingsOf(world.facts(index))) {
      for (const [night, output] of outputs.entries()) {
        const edition = editionOf(editions, night)
        if (!edition) continue
        await output.file.write(output.records++ === 0 ? edition.text : between + edition.text)
      }
    }
  }
  const files: WrittenFile[] = []
  for (const { position, file, records } of outputs) {
    await file.write(tail)
    files.push({ path: folder.named(position), records, bytes: await file.end() })
  }
  return files
}

/** An archive of a feed: one zip per night. */
export interface ZipLayout {
  positionOf(night: number): string
  entriesOf(facts: Facts): Iterable<ZipEntry>
}

/** Writes several archives in one pass over the CVEs. */
export async function writeZips(
  world: World,
  folder: FeedFolder,
  ...layouts: readonly ZipLayout[]
): Promise<WrittenFile[]> {
  const archives = []
  for (const { positionOf, entriesOf } of layouts) {
    const zips = []
    for (let night = 0; night < world.nights; night++) {
      const position = positionOf(night)
      zips.push({ position, zip: await zipWriter(folder, position, new Date(cutOf(night))), records: 0 })
    }
    archives.push({ entriesOf, zips })
  }
  for (let index = 0; index < world.records; index++) {
    const facts = world.facts(index)
    for (const { entriesOf, zips } of archives) {
      for (const { name, editions } of entriesOf(facts)) {
        const packed = editions.map(({ text }) => pack(Buffer.from(text)))
        for (const [night, output] of zips.entries()) {
          const edition = editionOf(editions, night)
          if (!edition) continue
          output.records++
          await output.zip.add(name, packed[editions.indexOf(edition)]!)
        }
      }
    }
  }
  const files: WrittenFile[] = []
  for (const { position, zip, records } of archives.flatMap((one) => one.zips)) {
    files.push({ path: folder.named(position), records, bytes: await zip.end() })
  }
  return files
}

/** Returns the edition that is valid in a night. */
function editionOf(editions: readonly Edition[], night: number): Edition | undefined {
  return editions.findLast((one) => one.night <= night)
}
