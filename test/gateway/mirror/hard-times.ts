/**
 * A mirror in hard times: its process is killed with SIGKILL at random moments, and the way to the repository truncates,
 * corrupts, answers 500 and 429, cuts connections and is slow. It must end complete and right every time.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Random } from '../../../corpus/sample/random.ts'
import { pointerPath, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { verify } from '../../../corpus/snapshot/verify/verify.ts'
import { serveFolder, type WebFault } from '../../support/web-folder.ts'
import type { Signer } from './repository.ts'

export interface HardTimes {
  /** Signed repositories, one after the other: a mirror goes through all of them, then a new one begins. */
  nights: readonly string[]
  signer: Signer
  /** For mirrors and keys. */
  folder: string
  kills: number
  seed: number
  /** Of the requests, so many go wrong in each of the ways. */
  faultShare: number
  /** How fast the repository is: a run must take long enough to be killed in the middle. */
  bytesPerMs: number
  say(line: string): void
}

export interface HardTimesReport {
  kills: number
  /** Runs that ended by themselves, well and with an error. */
  ended: { well: number; badly: number }
  /** Mirrors that went through all nights. */
  mirrors: number
  /** Bytes of bodies that the repository handed out, and that one undisturbed pass through the nights takes. */
  sent: number
  needed: number
}

const MAIN = join(import.meta.dirname, '../../../gateway/bin.js')

/** @throws Error when a mirror is ever anything but the snapshot of a night, whole and sound, or none yet */
export async function hardTimes(times: HardTimes): Promise<HardTimesReport> {
  const { nights, signer, folder, seed, say } = times
  mkdirSync(folder, { recursive: true })
  const random = new Random(seed)
  const keyFile = join(folder, 'keys.json')
  writeFileSync(keyFile, JSON.stringify({ keys: [signer.publicKey] }))
  const ids = nights.map((night) => readCurrent(night).pointer.snapshot)
  const report: HardTimesReport = { kills: 0, ended: { well: 0, badly: 0 }, mirrors: 0, sent: 0, needed: 0 }
  const calm = await passThrough(
    { ...times, kills: 0, faultShare: 0 },
    random,
    keyFile,
    ids,
    report,
    join(folder, 'calm'),
  )
  const { sent: needed, ms } = calm
  say(`undisturbed: ${needed} bytes in ${ms.toFixed(0)} ms`)
  report.ended.well = 0
  report.sent = 0
  while (report.kills < times.kills) {
    const dist = join(folder, `mirror-${report.mirrors}`)
    const { sent } = await passThrough(times, random, keyFile, ids, report, dist, ms / nights.length)
    report.mirrors++
    report.sent += sent
    report.needed += needed
    say(
      `mirror ${report.mirrors}: ${report.kills} kills so far; ${sent} bytes came, ${(sent / needed).toFixed(3)} of what is needed`,
    )
    rmSync(dist, { recursive: true })
  }
  return report
}

/** One mirror through all nights; `killWithin` is how long a run goes on at most, in ms; without it nobody kills it. */
async function passThrough(
  { nights, kills, faultShare, bytesPerMs }: HardTimes,
  random: Random,
  keyFile: string,
  ids: readonly string[],
  report: HardTimesReport,
  dist: string,
  killWithin?: number,
): Promise<{ sent: number; ms: number }> {
  const began = performance.now()
  let sent = 0
  for (const [i, night] of nights.entries()) {
    const repository = await serveFolder(night, { bytesPerMs })
    repository.fault = () => (random.chance(faultShare) ? randomFault(random) : null)
    try {
      for (;;) {
        const isKilled = killWithin !== undefined && report.kills < kills
        const outcome = await run(repository.url, dist, keyFile, isKilled ? random.float() * killWithin : null)
        if (outcome === 'killed') report.kills++
        else if (outcome === 'well') report.ended.well++
        else report.ended.badly++
        await assertSound(dist, ids.slice(Math.max(0, i - 1), i + 1), i === 0)
        if (outcome === 'well') break
      }
      const { snapshot } = readCurrent(dist).pointer
      if (snapshot !== ids[i]) throw new Error(`the mirror ended well, with ${snapshot} instead of ${ids[i]}`)
      sent += repository.sent()
    } finally {
      await repository.close()
    }
  }
  return { sent, ms: performance.now() - began }
}

function randomFault(random: Random): WebFault {
  const faults: readonly WebFault[] = [
    { kind: 'status', code: 500 },
    { kind: 'status', code: 429, headers: { 'retry-after': '1' } },
    { kind: 'cut', after: random.int(20_000) },
    { kind: 'truncate', by: 1 + random.int(5000) },
    { kind: 'corrupt', at: random.int(1_000_000) },
    { kind: 'delay', ms: random.int(300) },
  ]
  return random.pick(faults)
}

type Outcome = 'killed' | 'well' | 'badly'

function run(url: string, dist: string, keyFile: string, killAfterMs: number | null): Promise<Outcome> {
  const words = [MAIN, 'mirror', url, dist, '--keys', keyFile]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const timer = killAfterMs === null ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      if (signal === 'SIGKILL') return resolve('killed')
      if (code === 0) return resolve('well')
      const last = said.trim().split('\n').at(-1) ?? ''
      if (/^vulnshelf-gateway: \S/.test(last)) return resolve('badly')
      reject(new Error(`the mirror failed without a clear message: ${said}`))
    })
  })
}

/** The mirror holds one of these snapshots, whole; or none, where that may be. */
async function assertSound(dist: string, ids: readonly string[], mayBeNone: boolean): Promise<void> {
  if (mayBeNone && !existsSync(pointerPath(dist))) return
  const { snapshot, faults } = await verify(dist, { jobs: 2 })
  if (faults.length > 0) throw new Error(`the mirror does not verify: ${faults.join('; ')}`)
  if (!ids.includes(snapshot)) throw new Error(`the mirror holds ${snapshot}, which is none of ${ids.join(', ')}`)
}
