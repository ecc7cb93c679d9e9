/**
 * A process whose query threads never come back from SQLite. It asks some questions, stops, and prints what it was answered.
 * With `at-once` it stops while the first question is under way.
 */
import { setTimeout } from 'node:timers/promises'
import { openLog } from '../../../gateway/process/log.ts'
import { killIfStuck } from '../../../gateway/process/serve.ts'
import { openQueries } from '../../../gateway/query/queries.ts'

const thread = new URL('./stuck-query.ts', import.meta.url)
const queries = openQueries({ thread, deadlineMs: 500, graceMs: 100 })
const ask = (q: string) =>
  queries.matches('query.db', 'cve', q).catch((error: Error) => void process.stderr.write(`${error.message}\n`))
if (process.argv[2] === 'at-once') {
  void ask('a')
  await setTimeout(300)
} else for (const q of ['a', 'b', 'c']) await ask(q)
await queries.close()
process.stderr.write('closed\n')
await killIfStuck(openLog())
process.exit(0)
