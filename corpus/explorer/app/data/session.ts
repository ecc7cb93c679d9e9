/** The session of the browser: the pages sign in, renew it, and sign out. Loaded when one of them is needed. */
import { ApiFailure } from './api.ts'
import { gatewayApi } from './gateway.ts'
import { token } from './token.ts'

const at = (path: string) => new URL(`auth/${path}`, document.baseURI)

/** Pages of other hosts cannot send this header. */
const OWN = { 'X-Requested-With': 'explorer' }
const post = (path: string, headers = {}) => fetch(at(path), { method: 'POST', headers: { ...OWN, ...headers } })

/** Where people sign in besides with a token: the host of the identity provider; null without one. */
export async function signInProvider(): Promise<string | null> {
  const response = await fetch(at('methods'))
  const { provider = null } = response.ok ? ((await response.json()) as { provider?: string | null }) : {}
  return provider
}

/** The link that signs in at the provider, and comes back to this page. */
export function providerLink(): string {
  const { search, hash } = window.location
  const here = `/${search}${hash}`
  const url = at('login')
  // The gateway accepts visible ASCII without a backslash.
  const path = here.replace(/[^!-[\]-~]/gu, encodeURIComponent)
  // It accepts no longer one.
  if (path.length <= 1000) url.searchParams.set('return', path)
  return url.href
}

export type SignedIn = 'session' | 'tab' | 'rejected'

/**
 * Signs the browser in with a token. Where it blocks cookies, or the token is too long for one, the tab keeps the token.
 */
export async function signInWithToken(text: string): Promise<SignedIn> {
  if (!/^[!-~]+$/.test(text)) return 'rejected'
  token.forget()
  const response = await post('token', { Authorization: `Bearer ${text}` }).catch(() => null)
  if (response?.status === 401) return 'rejected'
  if (response?.ok && (await isSignedIn())) return 'session'
  token.store(text)
  return 'tab'
}

/** Whether a request without a token of the tab is answered. */
export async function isSignedIn(): Promise<boolean> {
  try {
    await gatewayApi.get('/snapshot')
    return true
  } catch (error) {
    return error instanceof ApiFailure && error.status !== 401 && error.status !== 0
  }
}

/**
 * Renews the session, one tab at a time: the gateway renews only a session that ends, so later tabs find a new one.
 * Returns whether there is a valid one. @throws ApiFailure if the provider does not answer
 */
export function renewSession(): Promise<boolean> {
  const renew = async () => {
    const response = await post('refresh')
    if (response.ok || response.status === 401) return response.ok
    const { error = 'internal', message = `Status ${response.status}` } = (await response.json().catch(() => ({}))) as {
      error?: string
      message?: string
    }
    throw new ApiFailure(response.status, error, message)
  }
  // Browsers without locks have no secure context either, and no session of a provider.
  return navigator.locks ? navigator.locks.request('vulnshelf.session', renew) : renew()
}

/**
 * Ends the session here, and leaves the page for the provider to end it there. Returns whether nobody is signed in: a cookie
 * that another host set can stay.
 */
export async function endSession(): Promise<boolean> {
  try {
    const response = await post('logout')
    const { provider_logout: next = null } = response.ok
      ? ((await response.json()) as { provider_logout?: string | null })
      : {}
    if (next !== null) window.location.assign(next)
    return !(await isSignedIn())
  } catch {
    return false
  }
}
