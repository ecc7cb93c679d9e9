/**
 * Preloaded into a measured program (`--import`): at its end, writes its usage, including its threads. In JavaScript,
 * so that the program does not load what converts TypeScript.
 */
import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const file = process.env.BENCH_USAGE
// Child processes of the program are not measured.
delete process.env.BENCH_USAGE

if (isMainThread && file !== undefined) {
  process.on('exit', () => writeFileSync(file, JSON.stringify(process.resourceUsage())))
}
