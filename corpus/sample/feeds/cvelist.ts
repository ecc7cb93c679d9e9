/** Writes the CVE list v5: a zip of all records for each night, and a zip of the changes for each later night. */

import { cveBlock } from '../../model/ids/cve-id.ts'
import { cutOf, nightDate } from '../calendar.ts'
import { cveRecord } from '../record/cve-record.ts'
import type { World } from '../world.ts'
import { pack, type ZipWriter, zipWriter } from '../zip.ts'
import type { FeedFolder, SampleFeed, WrittenFile } from './feed.ts'

interface Output {
  path: string
  zip: ZipWriter
  records: number
}

export const cvelist: SampleFeed = {
  name: 'cvelistv5',
  write: async (world, folder) => {
    const nights = Array.from({ length: world.nights }, (_, night) => night)
    const all: Output[] = []
    const deltas: Output[] = []
    for (const night of nights) {
      all.push(await open(folder, `${nightDate(night)}_all_CVEs.zip`, night))
      // The first night has no previous night, so it has no delta.
      if (night > 0) deltas.push(await open(folder, `${nightDate(night)}_delta_CVEs.zip`, night))
    }
    // The zips of all nights are written in one pass, so that an unchanged record is generated and compressed once.
    for (let index = 0; index < world.records; index++) await writeRecord(world, index, all, deltas)
    const files: WrittenFile[] = []
    for (const one of [...all, ...deltas]) files.push(await close(folder, one))
    return files
  },
}

async function writeRecord(world: World, index: number, all: Output[], deltas: Output[]): Promise<void> {
  const facts = world.facts(index)
  const block = cveBlock(facts.id)
  const changedIn = facts.change?.night ?? -1
  let packed = null
  for (let night = facts.born; night < world.nights; night++) {
    const news = night === facts.born ? night > 0 : night === changedIn
    if (!packed || news) packed = pack(Buffer.from(`${JSON.stringify(cveRecord(world, facts, night), null, 2)}\n`))
    await put(all[night]!, `cves/${block}/${facts.id}.json`, packed)
    if (news) await put(deltas[night - 1]!, `deltaCves/${facts.id}.json`, packed)
  }
}

async function open(folder: FeedFolder, path: string, night: number): Promise<Output> {
  return { path, zip: await zipWriter(folder, path, new Date(cutOf(night))), records: 0 }
}

async function put(output: Output, name: string, packed: ReturnType<typeof pack>): Promise<void> {
  output.records++
  await output.zip.add(name, packed)
}

async function close(folder: FeedFolder, output: Output): Promise<WrittenFile> {
  return { path: folder.named(output.path), records: output.records, bytes: await output.zip.end() }
}
