/** Writes a folder of synthetic feeds in the upstream formats. The same options give the same bytes. */
import { dirname, join } from 'node:path'
import { nightDate } from './calendar.ts'
import { type SampleDisk, type SampleFile, sampleDisk } from './disk.ts'
import { capec } from './feeds/capec.ts'
import { cna } from './feeds/cna.ts'
import { cvelist } from './feeds/cvelist.ts'
import { cwe } from './feeds/cwe.ts'
import { epss } from './feeds/epss.ts'
import { exploitdb } from './feeds/exploitdb.ts'
import type { FeedFolder, SampleFeed, WrittenFile } from './feeds/feed.ts'
import { firstParty } from './feeds/first-party/first-party.ts'
import { ghsa } from './feeds/ghsa.ts'
import { kev } from './feeds/kev.ts'
import { metasploit } from './feeds/metasploit.ts'
import { nuclei } from './feeds/nuclei.ts'
import { nvd } from './feeds/nvd/nvd.ts'
import { osv } from './feeds/osv/osv.ts'
import { poc } from './feeds/poc.ts'
import { createWorld, usualAdvisories } from './world.ts'

/** All feeds of the sample, in the order of writing. */
const SAMPLE_FEEDS: readonly SampleFeed[] = [
  cvelist,
  kev,
  epss,
  cna,
  cwe,
  capec,
  nvd,
  ghsa,
  osv,
  exploitdb,
  metasploit,
  nuclei,
  poc,
  firstParty,
]

export interface SampleOptions {
  /** The output folder. It is created if missing. Files with the same names are replaced. */
  feeds: string
  /** Number of records of the CVE list in the first night, including rejected and reserved ones. */
  cves?: number
  /** Number of package advisories in the first night, besides those of GitHub's repository. */
  advisories?: number
  seed?: number
  /** 1 to 100. In each later night 1 % of the records change and a few are new. It also affects the first night. */
  nights?: number
}

export interface SampleReport {
  cves: number
  advisories: number
  seed: number
  /** Dates of the nights, `YYYY-MM-DD`, ascending. */
  nights: string[]
  files: WrittenFile[]
}

/**
 * Writes the sample.
 * @throws TypeError that names an option out of range, before anything is written
 */
export async function generateSample(options: SampleOptions, disk: SampleDisk = sampleDisk): Promise<SampleReport> {
  const cves = whole('cves', options.cves ?? 2000, 1, 5_000_000)
  const advisories = whole('advisories', options.advisories ?? usualAdvisories(cves), 0, 10_000_000)
  const seed = whole('seed', options.seed ?? 1, 0, 2 ** 31)
  const nights = whole('nights', options.nights ?? 2, 1, 100)
  const world = createWorld(seed, cves, nights, advisories)
  const files: WrittenFile[] = []
  const watched = watchedDisk(disk)
  try {
    for (const feed of SAMPLE_FEEDS) {
      files.push(...(await feed.write(world, folderOf(options.feeds, feed.name, watched.disk))))
    }
  } finally {
    await watched.abandonOpen()
  }
  const dates = Array.from({ length: nights }, (_, night) => nightDate(night))
  return { cves, advisories, seed, nights: dates, files }
}

/** Returns a disk that tracks open files, so that a failure leaves none behind. */
function watchedDisk(disk: SampleDisk): { disk: SampleDisk; abandonOpen: () => Promise<void> } {
  const open = new Set<SampleFile>()
  const create: SampleDisk['create'] = async (path) => {
    const file = await disk.create(path)
    open.add(file)
    const close = async () => {
      await file.close()
      open.delete(file)
    }
    const abandon = async () => {
      await file.abandon()
      open.delete(file)
    }
    return { ...file, close, abandon }
  }
  const abandonOpen = async () => {
    for (const file of open) await file.abandon()
  }
  return { disk: { ...disk, create }, abandonOpen }
}

function folderOf(feeds: string, name: string, disk: SampleDisk): FeedFolder {
  const positionOf = async (path: string) => {
    const full = join(feeds, name, path)
    await disk.mkdir(dirname(full))
    return full
  }
  const create: FeedFolder['create'] = async (path) => disk.create(await positionOf(path))
  return {
    create,
    named: (path) => `${name}/${path}`,
    write: async (path, content, records) => {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content
      const file = await create(path)
      await file.write(bytes)
      await file.close()
      return { path: `${name}/${path}`, records, bytes: bytes.length }
    },
  }
}

function whole(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new TypeError(`${name} must be a whole number from ${least} to ${most}, not ${value}`)
}
