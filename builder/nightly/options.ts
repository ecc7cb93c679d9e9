/** Options of the `nightly` command. */
import { InvalidArgumentError } from 'commander'
import type { Mission } from '../../corpus/model/merge.ts'
import type { FetchCommandOptions } from '../fetch/options.ts'
import type { KeepFlags } from '../keep-options.ts'

export interface NightlyFlags extends FetchCommandOptions, KeepFlags {
  corpus: string
  out: string
  publish?: string
  siteUrl?: URL
  skipFetch?: boolean
  allowStale?: boolean
  signKey?: string[]
  expires: string
  unsigned?: boolean
  jobs: number
  acceptShrink?: boolean
  acceptOlder?: boolean
  floor?: string
  mission: Mission
  report?: string
  ping?: URL
  pingFailure?: URL
}

/** Services name a check by an http or https URL. */
export function pingUrl(text: string): URL {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol)) return url
  throw new InvalidArgumentError('It must be an http or https URL.')
}
