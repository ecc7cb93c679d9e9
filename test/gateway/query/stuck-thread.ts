/**
 * A process whose query threads never come back from SQLite. It asks some questions, stops, and prints what it was answered.
 * With `at-once` it stops while the first question is under way.
 */
import { once } from 'node:events'
import { BroadcastChannel } from 'node:worker_threads'
import { openLog } from '../../../gateway/process/log.ts'
import { killIfStuck } from '../../../gateway/process/serve.ts'
import { openQueries } from '../../../gateway/query/queries.ts'

const thread = new URL('./stuck-query.ts', import.meta.url)
// A thread must be loaded before the deadline, also on a busy machine.
const queries = openQueries({ thread, deadlineMs: 5_000, graceMs: 100 })
const ask = (q: string) =>
  queries.matches('query.db', 'cve', q).catch((error: Error) => void process.stderr.write(`${error.message}\n`))
if (process.argv[2] === 'at-once') {
  const channel = new BroadcastChannel('stuck-query')
  const asked = once(channel as unknown as EventTarget, 'message')
  void ask('a')
  await asked
  channel.close()
} else for (const q of ['a', 'b', 'c']) await ask(q)
await queries.close()
process.stderr.write('closed\n')
await killIfStuck(openLog())
process.exit(0)
