/** Looks up packages at a gateway, one request for each. */
import type { EcosystemComponent, LookUp } from '../../../../inventory/findings.ts'
import type { Component } from '../../../../inventory/inventory.ts'
import type { Affected } from '../../data/answers.ts'
import { type Api, ApiFailure, MAX_LIMIT } from '../../data/api.ts'
import { patiently, type WaitOptions } from '../../data/wait.ts'

/** Requests at the same time. Browsers open six connections to a host. */
export const AT_ONCE = 6

/** A package that the API does not accept, such as one with a blank in its version. */
export interface Rejected {
  component: Component
  message: string
}

/** `rejected` gets what the API does not accept. */
export function gatewayLookUp(api: Pick<Api, 'get'>, rejected: Rejected[], wait: WaitOptions): LookUp {
  return async (component: EcosystemComponent) => {
    const { ecosystem, name, version, source } = component
    const rows: Affected['data'] = []
    let cursor: string | null = null
    let isIndexed: boolean
    do {
      const params = { ecosystem, name, version, source, limit: MAX_LIMIT, cursor }
      try {
        const page: Affected = await patiently(() => api.get<Affected>('/affected', params, wait.signal), wait)
        isIndexed = page.query.indexed
        rows.push(...page.data)
        cursor = page.pagination.next_cursor
      } catch (error) {
        if (!(error instanceof ApiFailure) || error.status !== 400) throw error
        rejected.push({ component, message: error.message })
        return []
      }
    } while (cursor !== null)
    return rows.length > 0 || isIndexed ? rows : null
  }
}
