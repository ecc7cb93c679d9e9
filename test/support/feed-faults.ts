/** What publishers do wrong to each feed: rename fields, serve an old copy, a wrong date, or no file. */
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { unzipSync, zipSync } from 'fflate'
import { chooseFiles } from '../../corpus/feeds/files/choice.ts'
import { FEEDS, type PublishedFeed } from '../../corpus/feeds/table.ts'

export const FEED_FAULTS = ['renamed', 'old', 'future', 'missing'] as const
export type FeedFault = (typeof FEED_FAULTS)[number]

interface Spoiling {
  folder: string
  /** A field, and its text in the file. */
  renamed: RegExp
  /** The years of the dates that date the file. Null if nothing does. */
  dates: RegExp | null
}

const field = (name: string) => new RegExp(`(?<=")${name}(?="\\s*:)`, 'g')
const yearOf = (...names: string[]) => new RegExp(`(?<="(?:${names.join('|')})"\\s*:\\s*")\\d{4}(?=-)`, 'g')

export const SPOILED: Record<PublishedFeed, Spoiling> = {
  kev: { folder: 'kev', renamed: field('vendorProject'), dates: yearOf('dateReleased') },
  vulncheck: { folder: 'vulncheck', renamed: field('vendorProject'), dates: null },
  euvd: { folder: 'euvd', renamed: field('sources'), dates: null },
  cna: { folder: 'cna', renamed: field('organizationName'), dates: null },
  cwe: { folder: 'cwe', renamed: /(?<=<\/?)Description(?=>)/g, dates: /(?<= Date=")\d{4}/g },
  capec: { folder: 'capec', renamed: field('description'), dates: yearOf('modified') },
  epss: { folder: 'epss', renamed: /(?<=^cve,)epss/m, dates: /(?<=score_date:)\d{4}/g },
  exploitdb: { folder: 'exploitdb', renamed: /(?<=,)codes(?=,)/, dates: /(?<=,)\d{4}(?=-\d{2}-\d{2},)/g },
  metasploit: { folder: 'metasploit', renamed: field('references'), dates: yearOf('mod_time') },
  nuclei: { folder: 'nuclei', renamed: field('Info'), dates: null },
  poc: { folder: 'poc', renamed: field('html_url'), dates: yearOf('updated_at', 'pushed_at') },
  ghsa: { folder: 'ghsa', renamed: field('affected'), dates: yearOf('modified') },
  osv: { folder: 'osv', renamed: field('affected'), dates: yearOf('modified') },
  nvd: { folder: 'nvd', renamed: field('metrics'), dates: yearOf('timestamp') },
  // Its name dates it.
  cvelist: { folder: 'cvelistv5', renamed: field('options'), dates: /$^/ },
}

/** Copies the newest files of each feed to `to`, with the names of upstream: those of exports have no date. */
export async function copyNewest(from: string, to: string): Promise<void> {
  for (const feed of FEEDS) {
    for (const { path, name, role } of chooseFiles(await feed.find(from), null)) {
      if (role === 'delta') continue
      const isDated = feed.name === 'cvelist' || feed.name === 'epss'
      const plain = isDated ? name : name.replace(/\/\d{4}-\d{2}-\d{2}(?=\/)|[-_]\d{4}-\d{2}-\d{2}/g, '')
      mkdirSync(dirname(join(to, plain)), { recursive: true })
      copyFileSync(path, join(to, plain))
    }
  }
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile())

/** Spoils the files of a feed in `feeds`. Returns false if nothing dates its files. */
export function spoilFeed(feeds: string, feed: PublishedFeed, fault: FeedFault): boolean {
  const { folder, renamed, dates } = SPOILED[feed]
  const files = filesIn(join(feeds, folder))
  if (fault === 'missing') {
    // One of the files that stand alone, else all.
    const gone = feed === 'osv' || feed === 'nvd' ? files.toSorted().slice(0, 1) : files
    for (const path of gone) rmSync(path)
    return true
  }
  if (fault === 'renamed') {
    for (const path of files) rewrite(path, (text) => text.replace(renamed, 'renamed'))
    return true
  }
  if (dates === null) return false
  // The year 1 is a placeholder.
  const changed = (year: string) => (year === '0001' ? year : fault === 'future' ? '2062' : String(Number(year) - 1))
  for (const path of files) {
    if (feed !== 'cvelist') rewrite(path, (text) => text.replace(dates, changed))
    // Names have the date of the edition too.
    if (feed === 'cvelist' || feed === 'epss') renameSync(path, path.replace(/\d{4}(?=-\d{2}-\d{2}[^/]*$)/, changed))
  }
  return true
}

function rewrite(path: string, change: (text: string) => string): void {
  const bytes = readFileSync(path)
  const edited = (plain: Uint8Array) => Buffer.from(change(Buffer.from(plain).toString('utf8')))
  if (path.endsWith('.zip')) {
    const entries = Object.entries(unzipSync(bytes)).map(([name, content]) => [name, edited(content)])
    writeFileSync(path, zipSync(Object.fromEntries(entries), { level: 1 }))
  } else writeFileSync(path, path.endsWith('.gz') ? gzipSync(edited(gunzipSync(bytes)), { level: 1 }) : edited(bytes))
}
