/**
 * NVD 2.0: a gzipped feed for each year of ids as of the first night, and for each night since one of all that was
 * modified, the newest at its usual place, older ones in folders named after their dates.
 */
import { cutOf, nightDate, timeOf } from '../../calendar.ts'
import { textFile } from '../../text-file.ts'
import type { Facts, World } from '../../world.ts'
import type { FeedFolder, SampleFeed, WrittenFile } from '../feed.ts'
import { nvdNews, nvdRecord } from './record.ts'

/** Upstream's first year, which holds all before it. */
const FIRST_YEAR = 2002

/** Records that one file holds, ascending, and how many there are: upstream says so at the head of a file. */
interface Held {
  count: number
  indexes: Iterable<number>
}

export const nvd: SampleFeed = {
  name: 'nvd',
  write: async (world, folder) => {
    const { years, modified } = survey(world)
    const files: WrittenFile[] = []
    for (const { year, from, to, count } of years) {
      const held = { count, indexes: indexesBetween(from, to) }
      if (count > 0) files.push(await writeRecords(world, folder, `nvdcve-2.0-${year}.json.gz`, 0, held))
    }
    for (let night = 1; night < world.nights; night++) {
      const path = 'nvdcve-2.0-modified.json.gz'
      const place = night === world.nights - 1 ? path : `${nightDate(night)}/${path}`
      const indexes = modified[night]!
      files.push(await writeRecords(world, folder, place, night, { count: indexes.length, indexes }))
    }
    return files
  },
}

interface Year {
  year: number
  /** The stretch of the records: ids ascend by year. */
  from: number
  to: number
  /** Those of them that NVD has in the first night. */
  count: number
}

/**
 * What the files hold. By night, `modified` are the records of the feed of what was modified: upstream's holds eight days,
 * here it is all since the first night, some two in a hundred of all records each night.
 */
function survey(world: World): { years: Year[]; modified: number[][] } {
  const years: Year[] = []
  const modified: number[][] = Array.from({ length: world.nights }, () => [])
  for (let index = 0; index < world.records; index++) {
    const facts = world.facts(index)
    const year = Math.max(FIRST_YEAR, Number(facts.id.slice(4, 8)))
    if (years.at(-1)?.year !== year) years.push({ year, from: index, to: index, count: 0 })
    const last = years.at(-1)!
    last.to = index + 1
    if (isKnown(facts)) last.count++
    const [first] = nvdNews(world, facts)
    if (first === undefined) continue
    // What is made known in a later night stays reserved until then.
    const until = facts.state === 'RESERVED' ? (facts.change?.night ?? world.nights) : facts.born
    for (let night = Math.max(first, until); night < world.nights; night++) modified[night]!.push(index)
  }
  return { years, modified }
}

/** Whether NVD has it in the first night: reserved ids are not NVD's. */
function isKnown(facts: Facts): boolean {
  return facts.born === 0 && facts.state !== 'RESERVED'
}

function* indexesBetween(from: number, to: number): Generator<number> {
  for (let index = from; index < to; index++) yield index
}

async function writeRecords(
  world: World,
  folder: FeedFolder,
  path: string,
  night: number,
  { count, indexes }: Held,
): Promise<WrittenFile> {
  const file = await textFile(await folder.create(path), true)
  const envelope = {
    resultsPerPage: count,
    startIndex: 0,
    totalResults: count,
    format: 'NVD_CVE',
    version: '2.0',
    timestamp: timeOf(cutOf(night) + 1_800_000).slice(0, -1),
  }
  await file.write(`${JSON.stringify(envelope).slice(0, -1)},"vulnerabilities":[\n`)
  let between = ''
  for (const index of indexes) {
    const cve = nvdRecord(world, world.facts(index), night)
    // The first night's stretches hold what NVD does not have yet.
    if (!cve) continue
    await file.write(`${between}${JSON.stringify({ cve })}`)
    between = ',\n'
  }
  await file.write('\n]}\n')
  return { path: folder.named(path), records: count, bytes: await file.end() }
}
