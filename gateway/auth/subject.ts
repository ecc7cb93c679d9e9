/** Reads a subject from the claims of a verified token (rules 11, 14, 15). */
import { hash } from 'node:crypto'
import { unauthenticated } from '../http/errors.ts'

export interface Subject {
  /** The claim `sub`; tokens without it share the subject `-`. */
  readonly sub: string
  /** A digest for the log. */
  readonly logName: string
  readonly admin: boolean
  readonly tier: number
}

export interface ClaimRules {
  issuer: string
  audience: string
  /** Names or dotted paths of claims that contain `admin`, alone or in a list. */
  adminClaims: readonly string[]
}

export interface Lifetime {
  /** In seconds since 1970. */
  exp: number
  nbf: number | null
}

export type Claims = Readonly<Record<string, unknown>>

const TOLERANCE_MS = 30_000

/** Runs on every request, also for cached tokens (rule 12). @throws ApiError 401 */
export function checkLifetime({ exp, nbf }: Lifetime, nowMs: number): void {
  if (exp * 1000 <= nowMs - TOLERANCE_MS) throw unauthenticated('the token has expired', 'expired')
  if (nbf !== null && nbf * 1000 > nowMs + TOLERANCE_MS) throw unauthenticated('the token is not valid yet', 'early')
}

/** @throws ApiError 401 if a claim is missing, malformed or does not match */
export function readClaims(claims: Claims, rules: ClaimRules): { subject: Subject; lifetime: Lifetime } {
  const { iss, aud, exp, nbf, sub } = claims
  if (iss !== rules.issuer) throw unauthenticated('the issuer of the token is not accepted', 'issuer')
  const audiences = Array.isArray(aud) ? aud : [aud]
  if (!audiences.includes(rules.audience))
    throw unauthenticated('the audience of the token is not accepted', 'audience')
  if (!isFiniteNumber(exp) || !(nbf === undefined || isFiniteNumber(nbf))) {
    throw unauthenticated('the lifetime of the token (exp, nbf) is missing or not a number', 'claims')
  }
  if (sub !== undefined && (typeof sub !== 'string' || sub === '')) {
    throw unauthenticated('the subject of the token (sub) must be a non-empty string', 'claims')
  }
  const admin = rules.adminClaims.some((path) => namesAdmin(claimAt(claims, path)))
  const name = sub ?? '-'
  return {
    subject: {
      sub: name,
      logName: hash('sha256', name).slice(0, 12),
      admin,
      tier: tierOf(claims.tier, admin),
    },
    lifetime: { exp, nbf: nbf ?? null },
  }
}

/** JSON accepts `1e999`, which would never expire. */
function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value)
}

/** Returns the tier of a claim. Values that are no integers give the lowest tier. */
export function tierOf(claim: unknown, admin: boolean): number {
  if (claim === undefined) return admin ? Number.POSITIVE_INFINITY : 0
  return typeof claim === 'number' && Number.isSafeInteger(claim) ? claim : 0
}

function namesAdmin(claim: unknown): boolean {
  return claim === 'admin' || (Array.isArray(claim) && claim.includes('admin'))
}

/** Names may contain dots (`https://example.org/roles`), so the whole path is tried as a name first. */
function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  let value: unknown = claims
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Claims)[name]
  }
  return value
}
