/** Parses the options of the `publish` command. */
import { InvalidArgumentError } from 'commander'
import { MAX_NAME_LENGTH, nameKey } from '../../corpus/model/affected/products.ts'

/** A DNS name as `tag:` URIs allow it (RFC 4151 2.1). An IPv4 address has this form too. */
const TAG_HOST = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/

/** `pchar` and `/` of RFC 3986 3.3, which `tag:` URIs allow. `URL` escapes most other characters, but not all. */
const TAG_PATH = /^(?:[\w.~!$&'()*+,;=:@/-]|%[0-9a-f]{2})*$/i

/** Returns the public URL of a published folder. Its path ends in `/`. */
export function siteUrl(text: string): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) throw invalid('It must be an http or https URL')
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) {
    throw invalid('It must have no user, password, query or fragment')
  }
  if (!TAG_HOST.test(url.hostname)) throw invalid('Its host must be a DNS name')
  if (!TAG_PATH.test(url.pathname)) throw invalid('Its path must have only characters of RFC 3986')
  url.pathname = url.pathname.replace(/(?<!\/)\/*$/, '/')
  return url
}

/** A vendor or product with an Atom feed of its own, by its keys. */
export interface AtomSubject {
  vendor: string
  /** Null for a feed of all products. */
  product: string | null
}

/** Bounds the files and the time of a run. */
const MAX_SUBJECTS = 200

/** Adds `vendor:<name>` or `product:<vendor>/<product>`; a `/` in a vendor is `%2F`. */
export function atomSubject(text: string, before: readonly AtomSubject[] = []): AtomSubject[] {
  const [, kind, name = ''] = /^(vendor|product):(.*)$/s.exec(text) ?? []
  const slash = name.indexOf('/')
  const parts = kind === 'product' && slash > 0 ? [name.slice(0, slash), name.slice(slash + 1)] : [name]
  const keys = parts.map((part) => (part.length > MAX_NAME_LENGTH ? null : nameKey(part.replace(/%2f/gi, '/'))))
  const [vendor, product] = keys
  if (kind === undefined || !vendor || product === null || (kind === 'product') !== (keys.length === 2))
    throw new InvalidArgumentError('It must be vendor:<name> or product:<vendor>/<product>, such as vendor:cisco.')
  if (before.some((one) => one.vendor === vendor && one.product === (product ?? null))) return [...before]
  if (before.length === MAX_SUBJECTS) throw new InvalidArgumentError(`At most ${MAX_SUBJECTS} feeds are possible.`)
  return [...before, { vendor, product: product ?? null }]
}

const invalid = (reason: string) =>
  new InvalidArgumentError(`${reason}; use the public URL of the target, such as https://vulns.example.com/.`)
