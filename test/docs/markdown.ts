/** The Markdown files of the repository: their headings, links, paths and command lines. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** A file, its path relative to the root. */
export interface Page {
  path: string
  /** Without fenced blocks. */
  prose: string
  fences: Fence[]
}

export interface Fence {
  language: string
  lines: string[]
}

/** Returns every Markdown file that git tracks or would track. */
export function pages(): Page[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '*.md']
  const paths = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  return paths.map(readPage)
}

export function readPage(path: string): Page {
  const fences: Fence[] = []
  const prose: string[] = []
  let open: Fence | null = null
  for (const line of readFileSync(join(root, path), 'utf8').split('\n')) {
    const fence = /^```(\w*)$/.exec(line)
    if (fence && open === null) {
      open = { language: fence[1]!, lines: [] }
      fences.push(open)
    } else if (fence) open = null
    else if (open) open.lines.push(line)
    else prose.push(line)
  }
  if (open) throw new Error(`${path}: a fenced block does not end`)
  return { path, prose: prose.join('\n'), fences }
}

/** Returns the anchors of the headings as GitHub makes them: lower case, hyphens for blanks, a number for a repeated one. */
export function anchorsOf({ prose }: Page): Set<string> {
  const seen = new Map<string, number>()
  const anchors = new Set<string>()
  for (const [, heading] of prose.matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = heading!
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-')
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    anchors.add(times === 0 ? slug : `${slug}-${times}`)
  }
  return anchors
}

/** Returns the targets of links that lead into the repository. */
export function linksOf({ prose }: Page): string[] {
  const links = prose.replace(/`[^`\n]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)
  return Array.from(links, ([, target]) => target!).filter((target) => !/^[a-z]+:/i.test(target))
}

/** Returns the paths of files in backticks. */
export function pathsOf({ prose }: Page): string[] {
  const spans = prose.matchAll(/`((?:builder|corpus|gateway|test)\/[\w./-]*)`/g)
  return Array.from(spans, ([, path]) => path!)
}

/** Returns the lines of the `sh` blocks, continued lines joined, comments left out. */
export function commandLines({ fences }: Page): string[] {
  return fences
    .filter(({ language }) => language === 'sh')
    .flatMap(({ lines }) => lines.join('\n').replaceAll('\\\n', ' ').split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

/**
 * Returns the words of a command line.
 * @throws Error for anything that needs a shell
 */
export function wordsOf(line: string): string[] {
  const words: string[] = []
  for (const [part, single, double, plain] of line.matchAll(/'([^']*)'|"([^"$`]*)"|([^\s'"|&;<>$`()]+)|\S/g)) {
    const word = single ?? double ?? plain
    if (word === undefined) throw new Error(`'${part}' needs a shell: ${line}`)
    words.push(word)
  }
  return words
}
