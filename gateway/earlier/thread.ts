/**
 * The thread of earlier snapshots. It reads parts of their files and keeps few of their tables in memory. Its work must not
 * delay answers from the current snapshot.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { ApiError, leftOutAnswer } from '../../corpus/answers/errors.ts'
import { answerer, type Caller } from '../../corpus/answers/request.ts'
import { ROUTES } from '../../corpus/answers/routes.ts'
import { sentError } from '../../corpus/errors/sent-error.ts'
import { openEarlier } from '../../corpus/reader/earlier.ts'
import { readerHistory } from '../../corpus/reader/history.ts'
import { openObjects } from '../../corpus/reader/objects.ts'
import { folderSource } from '../../corpus/repository/folder-source.ts'
import type { ReadEffects } from '../../corpus/repository/read.ts'
import { completed } from '../../corpus/runtime/steps.ts'
import { loadSqlite, reportLoaded } from '../../corpus/runtime/threads.ts'
import type { Manifest, SnapshotData } from '../../corpus/snapshot/index.ts'
import { openLineage } from '../../corpus/snapshot/ranges/lineage.ts'
import { accessByTiers, openAccess, type Tiers } from '../access/access.ts'
import type { Policy } from '../access/policy.ts'
import { tiersOf } from '../access/tiers.ts'
import { encoded } from '../http/encoded-answer.ts'
import { lowerCpuPriority } from '../process/low-priority.ts'
import type { EarlierReply, EarlierRequest, EarlierThreadData } from './protocol.ts'
import { receivedApiError, sentApiError } from './sent-api-error.ts'
import { openFileTexts } from './texts.ts'

const { dist, most } = workerData as EarlierThreadData
const port = parentPort!
const tell = (reply: EarlierReply, moved: ArrayBuffer[] = []) => port.postMessage(reply, moved)

lowerCpuPriority()
/** A file that cannot be read now is not read again. */
const effects: ReadEffects = { now: () => new Date(), sleep: async () => {}, random: () => 0, log() {} }
const objects = openObjects(folderSource(dist), effects, { verify: null })

let policy: Policy | null = null
let known = new WeakMap<SnapshotData, Tiers>()
let repository: ReturnType<typeof openRepository> | null = null
const charging = new Map<number, PromiseWithResolvers<void>>()

/** The snapshots up to `current`. */
function openRepository(current: Manifest) {
  const lineage = openLineage(current, objects)
  const earlier = openEarlier(lineage, objects, most, null, (manifest) => openFileTexts(dist, manifest))
  const answer = answerer(ROUTES, {
    history: readerHistory(lineage, objects),
    async open(choice) {
      if (choice === null) throw new TypeError('the request asks for no snapshot')
      const lent = await earlier.open(choice)
      try {
        if (policy !== null && !known.has(lent.data)) known.set(lent.data, await tiersIn(lent.data, policy))
        return lent
      } catch (error) {
        lent.release()
        throw error
      }
    },
  })
  return { answer, close: earlier.close }
}

async function tiersIn({ cves }: SnapshotData, asked: Policy): Promise<Tiers> {
  const tables = await completed(cves.tables({}))
  return { tiers: tiersOf(asked, tables), index: tables.index }
}

const policyAccess = accessByTiers<object>((snapshot) => known.get(snapshot)!)

function callerOf(number: number, tier: number): Caller {
  return {
    access: policy === null ? openAccess : policyAccess,
    subject: { tier },
    charge() {
      const taken = Promise.withResolvers<void>()
      charging.set(number, taken)
      tell({ kind: 'charge', number })
      return taken.promise
    },
  }
}

async function answer(number: number, target: string, tier: number): Promise<void> {
  try {
    const found = await repository!.answer(target, callerOf(number, tier))
    const { servedFrom, snapshotId, tag, gzip } = encoded(found)
    const bytes = Uint8Array.from(gzip())
    const sent = { servedFrom, snapshotId, pinnedAt: found.pinnedAt!, tag, gzip: bytes }
    tell({ kind: 'answer', number, answer: sent }, [bytes.buffer])
  } catch (thrown) {
    const refusal = thrown instanceof ApiError ? thrown : leftOutAnswer(thrown)
    if (refusal) tell({ kind: 'refusal', number, error: sentApiError(refusal) })
    else tell({ kind: 'fault', number, error: sentError(thrown) })
  }
}

port.on('message', (request: EarlierRequest) => {
  if (request.kind === 'serve') {
    void repository?.close()
    repository = openRepository(request.current)
  } else if (request.kind === 'access') {
    policy = request.policy
    known = new WeakMap()
  } else if (request.kind === 'ask') void answer(request.number, request.target, request.tier)
  else {
    const taken = charging.get(request.number)
    charging.delete(request.number)
    if (request.error) taken?.reject(receivedApiError(request.error))
    else taken?.resolve()
  }
})
loadSqlite()
reportLoaded()
