/** Writes a folder of synthetic feeds in the upstream formats. The same options give the same bytes. */
import { dirname, join } from 'node:path'
import { nightDate } from './calendar.ts'
import { type SampleDisk, type SampleFile, sampleDisk } from './disk.ts'
import { capec } from './feeds/capec.ts'
import { cvelist } from './feeds/cvelist.ts'
import { cwe } from './feeds/cwe.ts'
import { cna, epss, euvd, kev, vulncheck } from './feeds/exploited.ts'
import { exploitdb, metasploit, nuclei, poc } from './feeds/exploits.ts'
import { firstParty } from './feeds/first-party.ts'
import { ghsa } from './feeds/ghsa.ts'
import { nvd } from './feeds/nvd.ts'
import { osv } from './feeds/osv.ts'
import { type Folder, nightsOf, type Output, type WrittenFile } from './outputs.ts'
import { createWorld, usualAdvisories } from './world.ts'

const EXPLOITS = [exploitdb, metasploit, nuclei, poc]
const SAMPLE_FEEDS = [cvelist, kev, vulncheck, euvd, epss, cna, cwe, capec, nvd, ghsa, osv, ...EXPLOITS, firstParty]

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
  const created: SampleFile[] = []
  const create: Folder['create'] = async (path) => {
    const full = join(options.feeds, path)
    await disk.mkdir(dirname(full))
    const file = await disk.create(full)
    created.push(file)
    return file
  }
  const files: WrittenFile[] = []
  try {
    const outputs: Output[] = []
    for (const feed of SAMPLE_FEEDS) outputs.push(...(await feed(world, { create })))
    for (let index = 0; index < world.records; index++) {
      const facts = world.facts(index)
      for (const output of outputs) await output.add(facts)
    }
    for (const output of outputs) files.push(...(await output.end()))
  } catch (error) {
    for (const file of created) await file.abandon()
    throw error
  }
  return { cves, advisories, seed, nights: nightsOf(world).map(nightDate), files }
}

function whole(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new TypeError(`${name} must be a whole number from ${least} to ${most}, not ${value}`)
}
