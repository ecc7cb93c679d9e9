/** The adapters of all feeds, on records that grow. */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { unzipSync, zipSync } from 'fflate'
import { FeedError } from '../../../corpus/feeds/error.ts'
import type { Feed } from '../../../corpus/feeds/feed.ts'
import { chooseFiles } from '../../../corpus/feeds/files/choice.ts'
import { FEEDS } from '../../../corpus/feeds/table.ts'
import type { Random } from '../../../corpus/sample/random.ts'
import { feedFile, feedItems } from '../../corpus/feeds/reading.ts'
import { type OpenSubjects, repeated, type Subject } from '../subject.ts'

const PARTS = [...'<>&;*`_[]()"\'\n .-/:~a1\\%\u00e9', ...['CVE-', 'CVSS:3.1/', 'http://', 'pkg:', 'cpe:2.3:']]

/** A place in JSON: the list or object that contains it, and its key. */
interface Place {
  holder: Record<string | number, unknown>
  key: string | number
}

/** Returns the places of all lists and texts. */
function placesIn(holder: object): Place[] {
  return Object.entries(holder).flatMap(([key, value]) => {
    const here = { holder: holder as Place['holder'], key }
    if (typeof value === 'string') return [here]
    if (typeof value !== 'object' || value === null) return []
    return Array.isArray(value) && value.length > 0 ? [here, ...placesIn(value)] : placesIn(value)
  })
}

/** Puts a number into each text of a value that has one, so that copies differ. */
const numbered = (value: unknown, i: number): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/\d+(?=[^\d"]*")/g, (digits) => String(Number(digits.slice(-9)) + i)))

/** Makes one list or text of a JSON value larger. */
function grownJson(json: string, random: Random): (n: number) => string {
  const seed = random.int(2 ** 30)
  const textOf = repeated(random, PARTS)
  const isNumbered = random.chance(0.5)
  return (n) => {
    const root = [JSON.parse(json)]
    const places = placesIn(root)
    const { holder, key } = places[seed % places.length]!
    const value = holder[key]
    if (Array.isArray(value)) {
      const copies = Array.from({ length: n }, (_, i) => (isNumbered ? numbered(value[0], i) : value[0]))
      holder[key] = [...value, ...copies]
    } else holder[key] = textOf(4 * n)
    return JSON.stringify(root[0])
  }
}

/** Repeats some lines of CSV, or one element of XML. */
function grownText(text: string, random: Random): (n: number) => string {
  const lines = text.split('\n')
  const from = random.int(lines.length)
  return (n) => {
    const copies = Array.from({ length: n }, (_, i) =>
      lines[from]!.replaceAll(/\d+/g, (digits) => String(Number(digits) + i)),
    )
    return [...lines.slice(0, from), ...copies, ...lines.slice(from)].join('\n')
  }
}

/** JSON, JSON lines of which one grows, or other text. */
function grown(text: string, random: Random): (n: number) => string {
  if (!/^\s*[[{]/.test(text)) return grownText(text, random)
  const lines = text.trim().split('\n')
  if (!lines.every((line) => line.startsWith('{') && line.endsWith('}'))) return grownJson(text, random)
  const at = random.int(lines.length)
  const lineOf = grownJson(lines[at]!, random)
  return (n) => lines.with(at, lineOf(n)).join('\n')
}

/** Returns the texts of a file by name: the members of a zip, else the file itself. */
function textsOf(path: string): Map<string, string> {
  const bytes = readFileSync(path)
  if (path.endsWith('.gz')) return new Map([[basename(path), gunzipSync(bytes).toString()]])
  if (!path.endsWith('.zip')) return new Map([[basename(path), bytes.toString()]])
  const members = Object.entries(unzipSync(bytes)).filter(([name]) => !name.endsWith('/'))
  return new Map(members.slice(0, 20).map(([name, content]) => [name, Buffer.from(content).toString()]))
}

/** Writes one text as the publisher would. */
function write(path: string, name: string, text: string): void {
  const bytes = Buffer.from(text)
  writeFileSync(
    path,
    path.endsWith('.gz')
      ? gzipSync(bytes, { level: 1 })
      : path.endsWith('.zip')
        ? zipSync({ [name]: bytes }, { level: 0 })
        : bytes,
  )
}

/** Reads the items of a feed. A file that is refused is read as well. */
async function read(feed: Feed, path: string): Promise<void> {
  try {
    await feedItems(feed, feedFile(path))
  } catch (error) {
    if (!(error instanceof FeedError)) throw error
  }
}

/** Returns the adapter of a feed, with its files in `feeds` to grow. It writes to `scratch`. */
async function feedSubject(feed: Feed, feeds: string, scratch: string): Promise<Subject> {
  const files = chooseFiles(await feed.find(feeds), null).filter(({ role }) => role === 'baseline')
  const texts = files.flatMap(({ path }) => [...textsOf(path)].map(([name, text]) => ({ path, name, text })))
  if (texts.length === 0) throw new Error(`${feeds} has no files of ${feed.name}`)
  return {
    name: `feed ${feed.name}`,
    size: 300,
    worst: {},
    generated(random) {
      const { path, name, text } = random.pick(texts)
      const textOf = grown(text, random)
      return (n) => {
        const copy = join(scratch, basename(path))
        write(copy, name, textOf(n))
        return () => read(feed, copy)
      }
    },
  }
}

/** The adapters of all feeds, on files of a folder of feeds. They write to another folder. */
export const open: OpenSubjects = async (feeds = '', scratch = '') => ({
  subjects: await Promise.all(FEEDS.map((feed) => feedSubject(feed, feeds, scratch))),
})
