/** The API of the gateway that serves the page. */
import { type Api, ApiFailure, hasDotSegment, target } from './api.ts'
import { token } from './token.ts'

export const apiBase = (): URL => new URL('api/v1', document.baseURI)

/** Without a token of the tab, requests have the session cookie, if there is one. */
export const gatewayApi: Api = {
  mode: 'gateway',
  async get<T>(path: string, params = {}, signal?: AbortSignal): Promise<T> {
    if (hasDotSegment(path)) throw new ApiFailure(404, 'not_found', `No path of the API is ${path}.`)
    const own = token.read()
    // `fetch` throws for other characters, as it does without a connection.
    if (own !== null && !/^[!-~]+$/.test(own))
      throw new ApiFailure(401, 'unauthenticated', 'The token has characters that no token has. Enter another one.')
    const ask = () =>
      fetch(`${apiBase()}${target(path, params)}`, {
        headers: own === null ? {} : { Authorization: `Bearer ${own}` },
        ...(signal ? { signal } : {}),
      }).catch((error: Error) => {
        if (error.name === 'AbortError') throw error
        throw new ApiFailure(0, 'network', 'The gateway does not answer. Check the connection, then try again.')
      })
    let response = await ask()
    if (/"session_expired"/.test(response.headers.get('WWW-Authenticate') ?? '')) {
      const { renewSession } = await import('./session.ts')
      if (await renewSession()) response = await ask()
    }
    const answer = await objectOf(response)
    if (response.ok && answer !== null) return answer as T
    const { error = 'internal', message = notOfGateway(response), parameter = null } = (answer ?? {}) as ErrorAnswer
    const wait = Number(response.headers.get('Retry-After'))
    throw new ApiFailure(response.status, error, message, wait > 0 ? wait : null, parameter)
  },
}

interface ErrorAnswer {
  error?: string
  message?: string
  parameter?: string
}

/** Returns the JSON object of an answer; null for another body. */
async function objectOf(response: Response): Promise<object | null> {
  const value: unknown = await response.json().catch((error: Error) => {
    if (error.name === 'AbortError') throw error
    return null
  })
  return typeof value === 'object' ? value : null
}

const notOfGateway = ({ status }: Response) =>
  `Status ${status}, without a message of the API. A proxy may have sent this answer: try again, or ask its operator.`
