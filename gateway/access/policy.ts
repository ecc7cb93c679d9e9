/** The operator's access policy: the access tiers that CVEs need (rule 15). The README describes its format. */
import { z } from 'zod'
import { type CveId, isRecordId, parseCveId } from '../../corpus/model/ids/cve-id.ts'
import { fold } from '../../corpus/snapshot/index.ts'
import { GatewayError } from '../http/errors.ts'

/** A CVE that meets all conditions needs `tier`; null always matches. */
export interface Rule {
  tier: number
  ids: readonly CveId[] | null
  state: 'PUBLISHED' | 'RESERVED' | null
  /** Short names, folded. */
  assigners: readonly string[] | null
}

export type Policy = readonly Rule[]

/** Same maximum as `vulnshelf-gateway token --tier`. */
const MAX_TIER = 1_000_000

const oneOrMore = <T extends z.ZodType>(item: T) =>
  z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(item).min(1))

const cveId = z.string().transform((text, context): CveId => {
  const id = parseCveId(text)
  if (id !== null && isRecordId(id)) return id
  context.addIssue({ code: 'custom', message: `'${text}' is not a CVE id` })
  return z.NEVER
})

const CONDITIONS = ['id', 'state', 'assigner'] as const

const rule = z
  .strictObject({
    name: z.string().optional(),
    tier: z.int().min(0).max(MAX_TIER),
    id: oneOrMore(cveId).optional(),
    state: z.enum(['PUBLISHED', 'RESERVED']).optional(),
    assigner: oneOrMore(z.string().trim().min(1)).optional(),
  })
  .refine((stated) => CONDITIONS.some((name) => stated[name] !== undefined), 'needs an id, a state or an assigner')

const document = z.strictObject({ rules: z.array(z.unknown()) })

/** Messages begin with `place`. @throws GatewayError `access_policy`, with the invalid rule and the reason */
export function parsePolicy(text: string, place: string): Policy {
  const refuse = (why: string, cause?: unknown) => new GatewayError('access_policy', `${place}: ${why}`, { cause })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw refuse(`it is not JSON (${(cause as Error).message})`, cause)
  }
  const whole = document.safeParse(value)
  if (!whole.success) throw refuse(`it must be {"rules": […]}: ${reason(whole.error)}`, whole.error)
  return whole.data.rules.map((stated, at) => {
    const read = rule.safeParse(stated)
    if (!read.success) throw refuse(`rule ${at + 1}${nameOf(stated)}: ${reason(read.error)}`, read.error)
    const { tier, id = null, state = null, assigner } = read.data
    return { tier, ids: id, state, assigners: assigner?.map(fold) ?? null }
  })
}

function nameOf(stated: unknown): string {
  const name = typeof stated === 'object' && stated !== null && 'name' in stated ? stated.name : undefined
  return typeof name === 'string' ? ` ('${name}')` : ''
}

/** Returns for example `id[3] '2024-1' is not a CVE id`. */
function reason({ issues: [issue] }: z.ZodError): string {
  const where = issue!.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
  return `${where.replace(/^\./, '')} ${issue!.message}`.trim()
}
