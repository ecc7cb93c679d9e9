/** What can only be said when a process starts: how it uses memory, and how its code is loaded. */
import { lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Young objects may take three times so many MB (node's own 16 fill up under load). What is collected late lies between
 * what is in use, and the memory of a process is that of its worst moment: so the heap, and with it what is outside of it,
 * may grow by these percentages before it is collected, where V8 would let both double and 64 MB more lie outside.
 */
const FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=30']
/** Not known to node 20, and a node does not start with what it does not know. */
const NEWER_FLAGS = ['--external-memory-accounted-in-global-limit', '--external-memory-max-growing-factor=1.1']
const NEWER_SINCE = 26

/**
 * glibc gives each thread memory of its own, and keeps what is freed between other things unless it came from the system
 * by itself, as larger pieces do: slabs are. It would raise that bound as they are freed, unless it is set; at 32 KB every
 * row of `query.db` came from the system too, which cost 2 page faults a request and a quarter of the time. With that and
 * the flags a process has 300 MB after 30,000 requests of a day at 350,000 CVEs.
 */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' }

/** The loader that a checkout is run with: node takes the types out itself, and remembers what it compiled. */
const LOADER = 'tsx'

export interface ProcessStart {
  execArgv: string[]
  env: NodeJS.ProcessEnv
}

/**
 * How the gateway's processes start; what the operator has said stays. With `cache`, a folder, node's own way of loading
 * takes the place of tsx: a start costs 0.7 s of CPU less, but only from what was compiled before (otherwise 45 MB more).
 */
export function processStart(execArgv: readonly string[], env: NodeJS.ProcessEnv, cache: string | null): ProcessStart {
  const own = flags().filter((flag) => !execArgv.some((given) => nameOf(given) === nameOf(flag)))
  return {
    execArgv: [...own, ...(cache === null ? execArgv : withoutLoader(execArgv))],
    env: { ...ENVIRONMENT, ...(cache === null ? {} : { NODE_COMPILE_CACHE: cache }), ...env },
  }
}

function flags(): readonly string[] {
  const [major] = process.versions.node.split('.')
  return Number(major) < NEWER_SINCE ? FLAGS : [...FLAGS, ...NEWER_FLAGS]
}

const nameOf = (flag: string) => flag.split('=')[0]

function withoutLoader(execArgv: readonly string[]): string[] {
  const at = execArgv.findIndex((word, i) => word === '--import' && execArgv[i + 1] === LOADER)
  return at < 0 ? [...execArgv] : execArgv.toSpliced(at, 2)
}

/** Where compiled code is remembered: beside what else was installed, so that whoever may write there may change the code too. */
function compiledIn(root: string): string | null {
  const installed = join(root, 'node_modules')
  // Behind a link lies the installation of another checkout, to which our paths say nothing.
  if (!lstatSync(installed, { throwIfNoEntry: false })?.isDirectory()) return null
  const folder = join(installed, '.cache/vulnshelf')
  try {
    mkdirSync(folder, { recursive: true })
    return folder
  } catch {
    // A read-only installation: code is loaded as it was asked for.
    return null
  }
}

/** The same for processes that this one starts. */
export const preparedStart = (): ProcessStart =>
  processStart(process.execArgv, process.env, compiledIn(join(import.meta.dirname, '../..')))

/**
 * Puts this process in the place of itself, under the same id, unless it has been started so already. Where that cannot be
 * done (Windows; a parent that talks to this process) it stays as it is.
 */
export function startPrepared(): void {
  const isPrepared = process.execArgv.some((given) => nameOf(given) === nameOf(FLAGS[0]!))
  if (isPrepared || process.platform === 'win32' || process.connected || !process.execve) return
  const { execArgv, env } = preparedStart()
  process.execve(process.execPath, [process.execPath, ...execArgv, ...process.argv.slice(1)], env)
}
