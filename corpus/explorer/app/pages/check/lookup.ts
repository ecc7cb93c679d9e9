/** Looks up packages at a gateway, many with one request. */
import type { EcosystemComponent, LookUp } from '../../../../inventory/findings.ts'
import { notIndexedReason } from '../../../../inventory/reasons.ts'
import { PurlError, packageOfPurl, packageUrl } from '../../../../model/packages/purl.ts'
import { type AdvisoryNames, advisoryNames } from '../../../../model/packages/source-package.ts'
import { baseEcosystem, releaseOf } from '../../../../model/versions/ecosystems.ts'
import type { Affected, AffectedGroups } from '../../data/answers.ts'
import { type Api, ApiFailure, MAX_LIMIT, queryOf } from '../../data/api.ts'
import { patiently, type WaitOptions } from '../../data/wait.ts'

/** Requests at the same time. Browsers open six connections to a host. */
export const AT_ONCE = 6

/** Packages of a request (API 29.42), and characters of their purls in the address: gateways and proxies accept 8 KiB. */
const PACKAGES = 100
const MAX_CHARACTERS = 7800

/** Look-ups at the same time that fill all requests. */
export const LOOKUPS_AT_ONCE = AT_ONCE * PACKAGES

/** Rows of all packages of a request (API 29.43). */
const MAX_ROWS = 2500

type Found = Awaited<ReturnType<LookUp>>

interface Waiting {
  component: EcosystemComponent
  /** Null for a package that has no purl; it has a request of its own. */
  purl: string | null
  /** Rows that the next request asks for. */
  limit: number
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

  /** Returns the first page of each purl. If the API rejects some of them, these have none. */
  async function firstPages(purls: readonly string[], limit: number): Promise<ReadonlyMap<string | null, Affected>> {
    if (purls.length < 2) return new Map()
    try {
      const params = { purl: purls, limit }
      const { groups } = await patiently(() => api.get<AffectedGroups>('/affected', params, wait.signal), wait)
      return new Map(groups.map((group) => [group.query.purl, group]))
    } catch (error) {
      if (!isRejection(error)) throw error
      const half = purls.length >> 1
      return new Map([
        ...(await firstPages(purls.slice(0, half), limit)),
        ...(await firstPages(purls.slice(half), limit)),
      ])
    }
  }

  async function answer(batch: readonly Waiting[]): Promise<void> {
    try {
      // The API answers equal purls once, and one purl without groups.
      const purls = [...new Set(batch.flatMap(({ purl }) => purl ?? []))]
      const limit = Math.min(MAX_LIMIT, Math.floor(MAX_ROWS / Math.max(purls.length, 1)))
      const pages = await firstPages(purls, limit)
      for (const one of batch) {
        const page = pages.get(one.purl)
        // Packages with more rows are asked for again, fewer together.
        if (page && page.pagination.next_cursor !== null && limit < MAX_LIMIT) queue.push({ ...one, limit: MAX_LIMIT })
        else one.resolve(await rowsOf(one.component, page))
      }
    } catch (error) {
      for (const { reject } of [...batch, ...queue.splice(0)]) reject(error)
    }
  }

  async function work(): Promise<void> {
    requests++
    // Look-ups of the same turn share a request.
    await null
    while (queue.length > 0) {
      await answer(takeBatch(queue))
      // So do those that follow an answer.
      await new Promise((resolve) => setTimeout(resolve))
    }
    requests--
  }

  return (component) =>
    new Promise((resolve, reject) => {
      queue.push({ component, purl: purlOf(component), limit: MAX_ROWS / PACKAGES, resolve, reject })
      if (requests < AT_ONCE) void work()
    })
}

const isRejection = (error: unknown): error is ApiFailure => error instanceof ApiFailure && error.status === 400

/** Takes the packages of the next request: the first one, and those that fit in its request. */
function takeBatch(queue: Waiting[]): Waiting[] {
  const { purl: first, limit } = queue[0]!
  if (first === null) return queue.splice(0, 1)
  const purls = new Set<string>()
  let characters = 0
  const fits = (one: Waiting): boolean => {
    if (one.purl === null || one.limit !== limit) return false
    if (purls.has(one.purl)) return true
    const length = queryOf({ purl: [one.purl] }).length + 1
    if (purls.size > 0 && (purls.size === MAX_ROWS / limit || characters + length > MAX_CHARACTERS)) return false
    purls.add(one.purl)
    characters += length
    return true
  }
  const { taken = [], others = [] } = Object.groupBy(queue.splice(0), (one) => (fits(one) ? 'taken' : 'others'))
  queue.push(...others)
  return taken
}

/** Returns a short purl that has the same answer as the package. Null if there is none. */
function purlOf(component: EcosystemComponent): string | null {
  const { ecosystem, purl } = component
  const asked = advisoryNames(component)
  const isSame = (text: string) => {
    const read = readPurl(text)
    if (read?.ecosystem !== ecosystem) return false
    const { names, version } = advisoryNames({ ...read, ecosystem })
    return version === asked.version && names.join(' ') === asked.names.join(' ')
  }
  return [...shortPurls(ecosystem, asked), ...(purl === null ? [] : [purl])].find(isSame) ?? null
}

/** Packages of a distribution are asked for by their source package, in their release. */
function shortPurls(ecosystem: string, { names, version, matched_source }: AdvisoryNames): string[] {
  const [name] = names
  const base = packageUrl(baseEcosystem(ecosystem), name!) ?? actionUrl(ecosystem, name!)
  if (base === null || version === null) return []
  const release = releaseOf(ecosystem)
  const distros = release === null ? [''] : [(release.match(/\d+/g) ?? []).join('.'), release]
  const upstream = names.length > 1 ? matched_source! : ''
  return distros.map((distro) => {
    const qualifiers = Object.entries({ distro, upstream }).filter(([, value]) => value !== '')
    const stated = qualifiers.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&')
    return `${base}@${encodeURIComponent(version).replaceAll('%3A', ':')}${stated === '' ? '' : `?${stated}`}`
  })
}

const actionUrl = (ecosystem: string, name: string): string | null =>
  ecosystem === 'GitHub Actions' ? `pkg:githubactions/${name.split('/').map(encodeURIComponent).join('/')}` : null

function readPurl(text: string) {
  try {
    return packageOfPurl(text)
  } catch (error) {
    if (error instanceof PurlError) return null
    throw error
  }
}
