/** The types of the values of a CVE record (record format 5.2) that the adapter reads. */
import { CLOSED, type ExpectedFields } from '../expected-types.ts'

const VERSION: ExpectedFields = {
  [CLOSED]: true,
  version: 'text',
  status: 'text',
  versionType: 'text',
  lessThan: 'text',
  lessThanOrEqual: 'text',
  changes: [{ at: 'text', status: 'text' }],
}

/** Closed, because `cpe` instead of `cpes`, and `versionType` outside of `versions`, lose what a record states. */
const AFFECTED: ExpectedFields = {
  [CLOSED]: true,
  vendor: 'text',
  product: 'text',
  packageName: 'text',
  packageURL: 'text',
  collectionURL: 'text',
  repo: 'text',
  defaultStatus: 'text',
  platforms: 'texts',
  cpes: 'texts',
  versions: [VERSION],
  modules: 'any',
  programFiles: 'any',
  programRoutines: 'any',
}

const CVSS: ExpectedFields = { vectorString: 'text', baseScore: 'number', baseSeverity: 'text' }

const CONTAINER: ExpectedFields = {
  providerMetadata: { shortName: 'text', dateUpdated: 'text' },
  title: 'text',
  descriptions: [{ lang: 'text', value: 'text' }],
  affected: [AFFECTED],
  cpeApplicability: [{}],
  problemTypes: [{ descriptions: [{ cweId: 'text', description: 'text' }] }],
  references: [{ url: 'text', name: 'text', tags: 'texts' }],
  metrics: [{ cvssV4_0: CVSS, cvssV3_1: CVSS, cvssV3_0: CVSS, cvssV2_0: CVSS, other: { type: 'text' } }],
  datePublic: 'text',
  tags: 'texts',
  workarounds: [{ value: 'text' }],
  solutions: [{ value: 'text' }],
  configurations: [{ value: 'text' }],
  exploits: [{ value: 'text' }],
  impacts: [{ capecId: 'text', descriptions: [{ value: 'text' }] }],
  credits: [{ value: 'text', type: 'text' }],
  timeline: [{ time: 'text', value: 'text' }],
}

export const RECORD_TYPES: ExpectedFields = {
  cveMetadata: {
    assignerShortName: 'text',
    datePublished: 'text',
    dateUpdated: 'text',
    dateRejected: 'text',
    dateReserved: 'text',
  },
  containers: { cna: CONTAINER, adp: [CONTAINER] },
}
