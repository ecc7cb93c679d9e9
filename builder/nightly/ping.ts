/** Reports the end of a night to a monitoring service. */
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { postJson } from '../../corpus/transfer/post.ts'
import { type NightlyReport, withoutStepReports } from './report.ts'

export interface PingOptions {
  success: URL | null
  failure: URL | null
  /** Limit for all attempts. */
  limitMs?: number
}

const LIMIT_MS = 60_000

/** Returns `<url>/fail`, as monitoring services name it. */
export function failureUrl(success: URL): URL {
  const url = new URL(success)
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/fail`
  return url
}

/**
 * Posts the report, without those of the steps. Returns why that failed, or null. The path of the address may be a
 * secret, so the text names only the origin.
 */
export async function ping(
  report: NightlyReport,
  { success, failure, limitMs = LIMIT_MS }: PingOptions,
  effects: NetworkEffects,
): Promise<string | null> {
  const url = report.state === 'done' ? success : (failure ?? (success && failureUrl(success)))
  if (url === null) return null
  try {
    await postJson(effects, url, JSON.stringify(withoutStepReports(report)), limitMs)
    return null
  } catch (error) {
    return `cannot ping ${url.origin}: ${(error as Error).message}`
  }
}
