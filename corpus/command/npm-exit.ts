/**
 * Ends a program together with the npm or npx that runs it. npm sends SIGTERM to the shell between them. A shell that
 * does not `exec` its last command (dash) ends alone, and the program would keep its port. SIGINT to npm alone is lost
 * in such a shell: both continue to wait. Ctrl-C reaches all of them.
 */
import { readFileSync } from 'node:fs'

const EVERY_MS = 500

/**
 * Sends SIGTERM to this process after npm or its shell has ended. Does nothing if npm does not wait for the program: a
 * script started it in the background (`&`), or another program started it. Linux only: shells of other systems replace
 * themselves, so npm's signals arrive.
 */
export function exitWithNpm(): void {
  const links = linksToNpm(process.env.npm_lifecycle_script)
  if (links.length === 0) return
  const timer = setInterval(() => {
    if (links.every(({ pid, parent }) => parentOf(pid) === parent)) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, EVERY_MS).unref()
}

interface Link {
  pid: number
  parent: number
}

/** Matches `&`, but not `&&`, `2>&1` or `&>log`. */
const BACKGROUND = /(?<![&>])&(?![&>])/

/** Returns this process and its shell, each with its parent, up to npm. Empty if npm does not wait for this process. */
function linksToNpm(script: string | undefined): Link[] {
  if (script === undefined || BACKGROUND.test(script)) return []
  const own = { pid: process.pid, parent: process.ppid }
  const [name = '', option, command] = wordsOf(own.parent)
  // npm sets its process title: `npm exec …`, `npm run …`, `npm start`.
  if (/^npm\b/.test(name)) return [own]
  const isShell = option === '-c' && command?.startsWith(script)
  const npm = isShell ? parentOf(own.parent) : null
  return npm === null ? [] : [own, { pid: own.parent, parent: npm }]
}

function wordsOf(pid: number): string[] {
  return (readProc(pid, 'cmdline') ?? '').split('\0')
}

/** Returns null if the process does not exist. */
function parentOf(pid: number): number | null {
  if (pid === process.pid) return process.ppid
  // `12 (sh) S 11 …`: the name may contain blanks and parentheses.
  const parent = /^.*\) \S (\d+) /s.exec(readProc(pid, 'stat') ?? '')?.[1]
  return parent === undefined ? null : Number(parent)
}

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return null
  }
}
