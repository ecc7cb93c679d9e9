/**
 * A process whose query threads never come back from SQLite, and write databases into the folder of its first argument.
 * It asks some questions, stops, and prints what it was answered. With `at-once` it stops while the first question is
 * under way.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openLog } from '../../../gateway/process/log.ts'
import { killIfStuck } from '../../../gateway/process/serve.ts'
import { openQueries } from '../../../gateway/query/queries.ts'

const thread = new URL('./stuck-query.ts', import.meta.url)
// A thread must be loaded before the deadline, also on a busy machine.
const queries = openQueries({ thread, deadlineMs: 5_000, graceMs: 100 })
const [folder, when] = process.argv.slice(2)
const databaseOf = (q: string) => join(folder!, `${q}.db`)
const ask = (q: string) =>
  queries.matches(databaseOf(q), 'cve', q).catch((error: Error) => void process.stderr.write(`${error.message}\n`))
if (when === 'at-once') {
  void ask('a')
  while (!existsSync(`${databaseOf('a')}-journal`)) await wait(10)
} else for (const q of ['a', 'b', 'c']) await ask(q)
await queries.close()
process.stderr.write('closed\n')
await killIfStuck(openLog())
process.exit(0)
