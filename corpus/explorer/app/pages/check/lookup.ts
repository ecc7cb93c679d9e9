/** Looks up packages at a gateway, many with one request. */
import type { EcosystemComponent, LookUp } from '../../../../inventory/findings.ts'
import { notIndexedReason } from '../../../../inventory/reasons.ts'
import { PurlError, packageOfPurl, packageUrl } from '../../../../model/packages/purl.ts'
import type { Affected, AffectedGroups } from '../../data/answers.ts'
import { type Api, ApiFailure, MAX_LIMIT } from '../../data/api.ts'
import { patiently, type WaitOptions } from '../../data/wait.ts'

/** Requests at the same time. Browsers open six connections to a host. */
export const AT_ONCE = 6

/** Packages of a request, and characters of their purls in the address: proxies accept 8 KB. */
const PACKAGES = 50
const MAX_CHARACTERS = 6000

/** Look-ups at the same time that fill all requests. */
export const LOOKUPS_AT_ONCE = AT_ONCE * PACKAGES

/** Rows of all packages of a request (API 29.43). */
const MAX_ROWS = 2500

type Found = Awaited<ReturnType<LookUp>>

interface Waiting {
  component: EcosystemComponent
  /** Null for a package that has no purl; it has a request of its own. */
  purl: string | null
  resolve(found: Found): void
  reject(error: unknown): void
}

/** A package that the API does not accept, such as one with a blank in its version, is not judged. */
export function gatewayLookUp(api: Pick<Api, 'get'>, wait: WaitOptions): LookUp {
  const queue: Waiting[] = []
  let requests = 0

  const pageOf = (component: EcosystemComponent, cursor: string | null) => {
    const { ecosystem, name, version, source } = component
    const params = { ecosystem, name, version, source, limit: MAX_LIMIT, cursor }
    return patiently(() => api.get<Affected>('/affected', params, wait.signal), wait)
  }

  /** Returns all rows of a package, from its first page if that is known. */
  async function rowsOf(component: EcosystemComponent, first?: Affected): Promise<Found> {
    try {
      let page = first ?? (await pageOf(component, null))
      const rows = [...page.data]
      while (page.pagination.next_cursor !== null) {
        page = await pageOf(component, page.pagination.next_cursor)
        rows.push(...page.data)
      }
      return rows.length > 0 || page.query.indexed ? rows : notIndexedReason(component.ecosystem)
    } catch (error) {
      if (!isRejection(error)) throw error
      return `rejected: ${error.message}`
    }
  }

  /** Returns the first page of each purl; none if the API rejects one of them. */
  async function firstPages(purls: readonly string[]): Promise<ReadonlyMap<string | null, Affected>> {
    const params = { purl: purls, limit: Math.min(MAX_LIMIT, Math.floor(MAX_ROWS / purls.length)) }
    try {
      const { groups } = await patiently(() => api.get<AffectedGroups>('/affected', params, wait.signal), wait)
      return new Map(groups.map((group) => [group.query.purl, group]))
    } catch (error) {
      if (isRejection(error)) return new Map()
      throw error
    }
  }

  async function answer(batch: readonly Waiting[]): Promise<void> {
    try {
      // The API answers equal purls once, and one purl without groups.
      const purls = [...new Set(batch.flatMap(({ purl }) => purl ?? []))]
      const pages = purls.length > 1 ? await firstPages(purls) : null
      for (const { component, purl, resolve } of batch) resolve(await rowsOf(component, pages?.get(purl)))
    } catch (error) {
      for (const { reject } of [...batch, ...queue.splice(0)]) reject(error)
    }
  }

  async function work(): Promise<void> {
    requests++
    // Look-ups of the same turn share a request.
    await null
    while (queue.length > 0) await answer(takeBatch(queue))
    requests--
  }

  return (component) =>
    new Promise((resolve, reject) => {
      queue.push({ component, purl: purlOf(component), resolve, reject })
      if (requests < AT_ONCE) void work()
    })
}

const isRejection = (error: unknown): error is ApiFailure => error instanceof ApiFailure && error.status === 400

/** Takes the packages of the next request. */
function takeBatch(queue: Waiting[]): Waiting[] {
  let characters = 0
  const isNext = ({ purl }: Waiting) => {
    characters += purl === null ? Infinity : encodeURIComponent(purl).length
    return characters <= MAX_CHARACTERS
  }
  const end = queue.slice(0, PACKAGES).findIndex((one) => !isNext(one))
  return queue.splice(0, end === -1 ? PACKAGES : Math.max(end, 1))
}

/** Returns a purl that states the package exactly as the file does. Null if there is none. */
function purlOf({ ecosystem, name, version, source, purl }: EcosystemComponent): string | null {
  const base = packageUrl(ecosystem, name)
  for (const text of [purl, base && `${base}@${encodeURIComponent(version)}`]) {
    const read = text === null ? null : readPurl(text)
    if (read?.ecosystem === ecosystem && read.name === name && read.version === version && read.source === source) {
      return text
    }
  }
  return null
}

function readPurl(text: string) {
  try {
    return packageOfPurl(text)
  } catch (error) {
    if (error instanceof PurlError) return null
    throw error
  }
}
