/** A snapshot on a static web server. The reader answers what the API would. */
import { CursorError, openReader, PurlError, type Reader, SnapshotError } from '../../../reader/browser/reader.ts'
import { type Api, ApiFailure, type Params, type Progress } from './api.ts'
import { answerOf } from './static-answers.ts'

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
    const answer = await (path === '/openapi.json' ? openapi() : answerOf(reader, path, params)).catch(fail)
    signal?.throwIfAborted()
    return answer as T
  },
})

/** The description of the API is a file in the folder of the page. */
async function openapi(): Promise<unknown> {
  const response = await fetch('openapi.json')
  if (!response.ok)
    throw new ApiFailure(response.status, 'not_found', 'The server has no openapi.json. Run `vulnshelf site` again.')
  return response.json()
}

/** The name of the option in the message of a TypeError of the reader. */
const OPTION = /^(?:unknown )?option '([^']*)'/

/** @throws ApiFailure, as the API would answer */
function fail(error: unknown): never {
  if (error instanceof ApiFailure) throw error
  if (error instanceof CursorError) throw new ApiFailure(400, 'invalid_cursor', error.message)
  if (error instanceof PurlError) throw new ApiFailure(400, 'invalid_parameter', error.message)
  if (error instanceof TypeError) {
    const [, option = null] = OPTION.exec(error.message) ?? []
    const message = option === null ? error.message : error.message.replace('option', 'parameter')
    throw new ApiFailure(400, 'invalid_parameter', message, null, option)
  }
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
