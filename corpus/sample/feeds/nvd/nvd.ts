/**
 * Writes NVD 2.0: a gzipped feed per year of ids as of the first night, and a feed of modified records per later night.
 * The newest is at its usual path, older ones are in folders named after their dates.
 */
import { cutOf, nightDate, timeOf } from '../../calendar.ts'
import { textFile } from '../../text-file.ts'
import type { Facts, World } from '../../world.ts'
import type { FeedFolder, SampleFeed, WrittenFile } from '../feed.ts'
import { nvdNews, nvdRecord } from './record.ts'

/** Upstream's first file, which includes all earlier years. */
const FIRST_YEAR = 2002

/** The records of a file, ascending, with their count, which upstream writes at the start of the file. */
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
      const position = night === world.nights - 1 ? path : `${nightDate(night)}/${path}`
      const indexes = modified[night]!
      files.push(await writeRecords(world, folder, position, night, { count: indexes.length, indexes }))
    }
    return files
  },
}

interface Year {
  year: number
  /** Index range of the records: ids ascend by year. */
  from: number
  to: number
  /** Number of records in the range that NVD has in the first night. */
  count: number
}

/**
 * Returns the contents of the files. `modified` contains, by night, the records of the feed of modified records.
 * Upstream's covers eight days. Here it covers all changes since the first night, about 2 % of all records per night.
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
    // A record published in a later night is reserved until then.
    const until = facts.state === 'RESERVED' ? (facts.change?.night ?? world.nights) : facts.born
    for (let night = Math.max(first, until); night < world.nights; night++) modified[night]!.push(index)
  }
  return { years, modified }
}

/** Returns whether NVD has the record in the first night. NVD has no reserved ids. */
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
    // The ranges of the first night include records that NVD does not have yet.
    if (!cve) continue
    await file.write(`${between}${JSON.stringify({ cve })}`)
    between = ',\n'
  }
  await file.write('\n]}\n')
  return { path: folder.named(path), records: count, bytes: await file.end() }
}
