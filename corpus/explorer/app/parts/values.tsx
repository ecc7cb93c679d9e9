/** Small values: severities, dates, links. */
import type { ComponentChildren } from 'preact'
import type { Severity as Band } from '../data/answers.ts'
import { link } from '../router.ts'
import { formatDay, formatScore, formatTime, formatUtc, isTime } from './format.ts'

export function Severity({ band, score = null }: { band: Band | null; score?: number | null }) {
  if (band === null) return <span class="severity unknown">unscored</span>
  return (
    <span class={`severity ${band}`}>
      {score === null ? null : <b>{formatScore(score)} </b>}
      {band}
    </span>
  )
}

/** Feeds state days as midnight in UTC. */
const MIDNIGHT = /^\d{4}-\d\d-\d\d(?:T00:00:00(?:\.0+)?Z)?$/

/** A time in the user's zone; UTC on hover. Advisories can state a text that is no time. */
export function Time({ at }: { at: string | null | undefined }) {
  if (!at) return <Unknown />
  if (!isTime(at)) return <span>{at}</span>
  if (MIDNIGHT.test(at)) return <Day at={at.slice(0, 10)} />
  return (
    <time dateTime={at} title={formatUtc(at)}>
      {formatTime(at)}
    </time>
  )
}

/** A day, or the day of a time. */
export function Day({ at }: { at: string | null | undefined }) {
  if (!at) return <Unknown />
  if (!isTime(at)) return <span>{at}</span>
  return (
    <time dateTime={at} title={at.length > 10 ? formatUtc(at) : `${at} (UTC)`}>
      {formatDay(new Date(at).toISOString().slice(0, 10))}
    </time>
  )
}

export function Unknown() {
  return (
    <span class="dim">
      <span aria-hidden="true">–</span>
      <span class="for-reader">unknown</span>
    </span>
  )
}

export function CveLink({ id }: { id: string }) {
  return (
    <a class="id" href={link(['cves', id])}>
      {id}
    </a>
  )
}

/** Returns the URL if it is one of `http:` or `https:`, else null. */
export function webUrl(text: string | null | undefined): string | null {
  if (!text) return null
  const url = URL.parse(text)
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null
}

/** A link from a feed. Text that is not the URL of a web page stays text. */
export function ExternalLink({ url, children }: { url: string; children?: ComponentChildren }) {
  const href = webUrl(url)
  if (href === null) return <span>{children ?? url}</span>
  return (
    <a class="external" href={href} target="_blank" rel="noopener noreferrer" referrerpolicy="no-referrer">
      {children ?? url}
    </a>
  )
}

/** A flag of a record: shown if it is true. */
export function Flag({ name, title }: { name: string; title?: string }) {
  return (
    <span class={`flag ${name.toLowerCase()}`} title={title}>
      {name}
    </span>
  )
}
