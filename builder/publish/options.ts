/** Parses the options of the `publish` command. */
import { InvalidArgumentError } from 'commander'

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

const invalid = (reason: string) =>
  new InvalidArgumentError(`${reason}; use the public URL of the target, such as https://vulns.example.com/.`)
