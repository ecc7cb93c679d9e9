/** The operator's own feeds, as rows of the feed table. FORMAT.md in this folder documents them. */
import type { z } from 'zod'
import type { ClaimFeed } from '../feed.ts'
import { ANALYSES } from './analyses.ts'
import { DETECTIONS } from './detections.ts'
import { EXPLOITED } from './exploited.ts'
import { type FirstPartyName, findFirstParty } from './files.ts'
import { type LineFormat, readLines } from './lines.ts'
import { REPORT_TYPES, REPORTS } from './reports.ts'
import { SERVICE_SCORES } from './service-scores.ts'

type FirstPartyFeed = ClaimFeed & { name: FirstPartyName }

export const FIRST_PARTY_FEEDS: readonly FirstPartyFeed[] = [
  feed('report-types', 'Report types', REPORT_TYPES),
  feed('reports', 'Reports', REPORTS),
  feed('analyses', 'Analyses', ANALYSES),
  feed('service-scores', 'Service scores', SERVICE_SCORES),
  feed('detections', 'Detections', DETECTIONS),
  feed('exploited', 'Exploited vulnerabilities', EXPLOITED),
]

function feed<Schema extends z.ZodType, Identity extends z.ZodType>(
  name: FirstPartyName,
  title: string,
  format: LineFormat<Schema, Identity>,
): FirstPartyFeed {
  return {
    name,
    title,
    kind: 'claims',
    lookedFor: `first-party/${name}*.ndjson`,
    licence: "the operator's own",
    attribution: 'the operator of this service',
    required: false,
    maxDaysApart: null,
    maxAgeDays: null,
    adapter: format.adapter,
    find: (feedsFolder) => findFirstParty(feedsFolder, name),
    read: (file, options) => readLines(file, options, format),
  }
}
