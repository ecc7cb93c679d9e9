/** The API of the gateway that serves the page. */
import { type Api, ApiFailure, hasDotSegment, target } from './api.ts'

const TOKEN = 'vulnshelf.token'

/** The token of this tab, or null. The browser forgets it when the tab is closed. */
export const token = {
  read: (): string | null => sessionStorage.getItem(TOKEN),
  store: (text: string) => sessionStorage.setItem(TOKEN, text),
  forget: () => sessionStorage.removeItem(TOKEN),
}

export const apiBase = (): URL => new URL('api/v1', document.baseURI)

/** Without a token of the tab, requests have the session cookie, if there is one. */
export const gatewayApi: Api = {
  mode: 'gateway',
  async get<T>(path: string, params = {}, signal?: AbortSignal): Promise<T> {
    if (hasDotSegment(path)) throw new ApiFailure(404, 'not_found', `No path of the API is ${path}.`)
    const own = token.read()
    const response = await fetch(`${apiBase()}${target(path, params)}`, {
      headers: own === null ? {} : { Authorization: `Bearer ${own}` },
      ...(signal ? { signal } : {}),
    }).catch((error: Error) => {
      if (error.name === 'AbortError') throw error
      throw new ApiFailure(0, 'network', 'The gateway does not answer. Check the connection, then try again.')
    })
    if (response.ok) return (await response.json()) as T
    // A proxy before the gateway answers with texts of its own.
    const { error = 'internal', message, parameter } = await response.json().catch(() => ({}))
    const wait = Number(response.headers.get('Retry-After'))
    throw new ApiFailure(
      response.status,
      error,
      message ?? `The server answered with the status ${response.status}. Try again later.`,
      wait > 0 ? wait : null,
      parameter ?? null,
    )
  },
}
