/**
 * Ends a program with the npm or npx that runs it. npm passes SIGTERM to the shell between them, and a shell that does
 * not `exec` its last command (dash) ends without it: the program would keep its port, and nobody would see it. SIGINT to
 * npm alone is lost in such a shell, which waits on, and so does npm; Ctrl-C reaches them all.
 */
import { readFileSync } from 'node:fs'

const EVERY_MS = 500

/**
 * Sends SIGTERM to this process once npm, or its shell, has ended. Does nothing for a program that npm does not wait for:
 * one that a script runs in the background (`&`), or that another program has started. Linux only: the shells of other
 * systems replace themselves, and npm's signals arrive.
 */
export function endWithNpm(): void {
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

/** `&`, but not `&&`, `2>&1` or `&>log`. */
const BACKGROUND = /(?<![&>])&(?![&>])/

/** This process and its shell, each with its parent, up to npm; empty where npm does not wait for this process. */
function linksToNpm(script: string | undefined): Link[] {
  if (script === undefined || BACKGROUND.test(script)) return []
  const own = { pid: process.pid, parent: process.ppid }
  const [name = '', option, command] = wordsOf(own.parent)
  // npm sets its title: `npm exec …`, `npm run …`, `npm start`.
  if (/^npm\b/.test(name)) return [own]
  const isShell = option === '-c' && command?.startsWith(script)
  const npm = isShell ? parentOf(own.parent) : null
  return npm === null ? [] : [own, { pid: own.parent, parent: npm }]
}

function wordsOf(pid: number): string[] {
  return (readProc(pid, 'cmdline') ?? '').split('\0')
}

/** Null where there is no such process. */
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
