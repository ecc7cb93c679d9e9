/** Loaded before a program that is measured (`--import`): writes at its end what it took, its threads included. */
import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const file = process.env.BENCH_USAGE
// Programs that it starts in turn are not what is measured.
delete process.env.BENCH_USAGE

if (isMainThread && file !== undefined) {
  process.on('exit', () => writeFileSync(file, JSON.stringify(process.resourceUsage())))
}
