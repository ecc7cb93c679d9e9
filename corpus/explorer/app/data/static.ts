/** A snapshot on a static web server. The reader answers what the API would. */
import { openReader } from '../../../reader/browser/open-reader.ts'
import type { Reader } from '../../../reader/reader.ts'
import { SnapshotError } from '../../../snapshot/index.ts'
import { type Api, ApiFailure, type Params, type Progress, target } from './api.ts'

/** Opens the snapshot in the folder of the page. */
export async function staticApi(): Promise<Api> {
  const reports = new Set<(progress: Progress) => void>()
  const onProgress = (progress: Progress) => {
    for (const report of reports) report(progress)
  }
  const reader = await openReader('.', { onProgress }).catch(fail)
  return {
    ...readerApi(reader),
    onProgress(report) {
      reports.add(report)
      return () => reports.delete(report)
    },
  }
}

/** Returns an API that a reader answers. */
export const readerApi = (reader: Reader): Api & { packages: Reader } => ({
  mode: 'static',
  packages: reader,
  async get<T>(path: string, params: Params = {}, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    const answer = await (path === '/openapi.json' ? openapi() : answered(reader, target(path, params))).catch(fail)
    signal?.throwIfAborted()
    return answer as T
  },
})

/** @throws ApiFailure, and what the reader throws */
async function answered(reader: Reader, asked: string): Promise<unknown> {
  const { status, body } = await reader.request(asked)
  const answer = JSON.parse(body)
  if (status === 200) return answer
  throw new ApiFailure(status, answer.error, answer.message, null, answer.parameter ?? null)
}

/** The description of the API is a file in the folder of the page. */
async function openapi(): Promise<unknown> {
  const response = await fetch('openapi.json')
  if (!response.ok)
    throw new ApiFailure(response.status, 'not_found', 'The server has no openapi.json. Run `vulnshelf site` again.')
  return response.json()
}

/** @throws ApiFailure, as the API would answer */
function fail(error: unknown): never {
  if (error instanceof ApiFailure) throw error
  if (error instanceof SnapshotError && error.code === 'missing') {
    throw new ApiFailure(410, 'gone', `${error.message}. If a newer snapshot replaced this one, reload the page.`)
  }
  if (error instanceof SnapshotError) {
    const code = error.code === 'unsupported' ? 'unavailable' : 'internal'
    const remedy = 'Reload the page. If this fails again, check the files of the server with `vulnshelf verify`.'
    throw new ApiFailure(0, code, `The snapshot cannot be read: ${error.message}. ${remedy}`)
  }
  const reason = error instanceof Error ? error.message : String(error)
  throw new ApiFailure(
    0,
    'network',
    `The server of the snapshot does not answer: ${reason}. Check the connection, then try again.`,
  )
}
