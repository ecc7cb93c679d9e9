/**
 * NVD 2.0: a gzipped feed for each year of ids as of the first night, and for each night since one of all that was
 * modified, the newest at its usual place, older ones in folders named after their dates.
 */
import { cutOf, nightDate, timeOf } from '../../calendar.ts'
import { textFile } from '../../text-file.ts'
import type { World } from '../../world.ts'
import type { FeedFolder, SampleFeed, WrittenFile } from '../feed.ts'
import { nvdNews, nvdRecord } from './record.ts'

/** Upstream's first year, which holds all before it. */
const FIRST_YEAR = 2002

export const nvd: SampleFeed = {
  name: 'nvd',
  write: async (world, folder) => {
    const files = await writeYears(world, folder)
    for (let night = 1; night < world.nights; night++) {
      const path = 'nvdcve-2.0-modified.json.gz'
      const place = night === world.nights - 1 ? path : `${nightDate(night)}/${path}`
      files.push(await writeRecords(world, folder, place, night, modifiedBy(world, night)))
    }
    return files
  },
}

/** Ids ascend by year, so a year is a stretch of them. */
async function writeYears(world: World, folder: FeedFolder): Promise<WrittenFile[]> {
  const stretches: { year: number; from: number; to: number }[] = []
  for (let index = 0; index < world.records; index++) {
    const year = Math.max(FIRST_YEAR, Number(world.facts(index).id.slice(4, 8)))
    const last = stretches.at(-1)
    if (last?.year === year) last.to = index + 1
    else stretches.push({ year, from: index, to: index + 1 })
  }
  const files: WrittenFile[] = []
  for (const { year, from, to } of stretches) {
    const held: number[] = []
    for (let index = from; index < to; index++) {
      const facts = world.facts(index)
      if (facts.born === 0 && facts.state !== 'RESERVED') held.push(index)
    }
    if (held.length > 0) files.push(await writeRecords(world, folder, `nvdcve-2.0-${year}.json.gz`, 0, held))
  }
  return files
}

/** Upstream's holds eight days; here it is all since the first night. */
function modifiedBy(world: World, night: number): number[] {
  const held: number[] = []
  for (let index = 0; index < world.records; index++) {
    const facts = world.facts(index)
    const news = nvdNews(world, facts).some((one) => one <= night)
    // What is made known in a later night stays reserved until then.
    const reserved = facts.state === 'RESERVED' && (facts.change?.night ?? night + 1) > night
    if (news && facts.born <= night && !reserved) held.push(index)
  }
  return held
}

async function writeRecords(
  world: World,
  folder: FeedFolder,
  path: string,
  night: number,
  held: readonly number[],
): Promise<WrittenFile> {
  const file = await textFile(await folder.create(path), true)
  const envelope = {
    resultsPerPage: held.length,
    startIndex: 0,
    totalResults: held.length,
    format: 'NVD_CVE',
    version: '2.0',
    timestamp: timeOf(cutOf(night) + 1_800_000).slice(0, -1),
  }
  await file.write(`${JSON.stringify(envelope).slice(0, -1)},"vulnerabilities":[\n`)
  let between = ''
  for (const index of held) {
    const cve = nvdRecord(world, world.facts(index), night)
    await file.write(`${between}${JSON.stringify({ cve })}`)
    between = ',\n'
  }
  await file.write('\n]}\n')
  return { path: folder.named(path), records: held.length, bytes: await file.end() }
}
