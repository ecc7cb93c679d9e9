/** A handful of records that differ in title and date, and questions about parameters asked of them. */
import * as assert from 'uvu/assert'
import { kevJson } from '../../support/feeds.ts'
import { openWorld, type World } from './service.ts'
import { archiveCsv, capecBundle, capecPattern, cveList, cweXml, cweXmlEntry } from './upstream.ts'

interface ErrorBody {
  error: string
  message: string
  parameter?: string
}

export interface ParameterWorld {
  world: World
  ask(
    path: string,
  ): Promise<{ status: number; error: string | undefined; message: string; parameter: string | undefined }>
  /** The message of a 400 that blames `parameter`. */
  refusedFor(path: string, parameter: string): Promise<string>
  /** The last digits of the ids on a page of `/cves`. */
  ids(query: string): Promise<string>
}

const record = (id: `CVE-${string}`, title: string, datePublished: string) => ({
  id,
  cna: { title, problemTypes: [{ descriptions: [{ lang: 'en', cweId: 'CWE-79', description: 'CWE-79' }] }] },
  metadata: { datePublished, dateUpdated: datePublished },
})
const FEEDS = {
  ...cveList([
    record('CVE-2024-0001', 'A 100% fault', '2024-03-01T00:00:00.000Z'),
    record('CVE-2024-0002', 'A 1000 fault', '2024-03-01T23:59:59.999Z'),
    record('CVE-2024-0003', 'An a_b fault', '2024-03-02T00:00:00.000Z'),
    record('CVE-2024-0004', 'An axb fault in ÉCOLE', '2024-03-02T12:00:00.500Z'),
  ]),
  'kev/known_exploited_vulnerabilities.json': kevJson(['CVE-2024-0001']),
  'cwe/cwec_v4.15.xml': cweXml(cweXmlEntry(79)),
  'capec/stix-capec.json': capecBundle([capecPattern(66)]),
  'exploitdb/files_exploits.csv': archiveCsv([
    { id: 1, description: 'one', published: '2024-03-01', verified: true, cves: ['CVE-2024-0001'] },
    { id: 2, description: 'two', published: '2024-03-02', verified: true, cves: [] },
  ]),
}

export async function openParameterWorld(): Promise<ParameterWorld> {
  const world = await openWorld(FEEDS)
  const ask = async (path: string) => {
    const { status, body } = await world.ask(path)
    const { error, message = '', parameter } = body as Partial<ErrorBody>
    return { status, error, message, parameter }
  }
  const refusedFor = async (path: string, parameter: string) => {
    const answered = await ask(path)
    assert.equal([answered.status, answered.error, answered.parameter], [400, 'invalid_parameter', parameter], path)
    return answered.message
  }
  const ids = async (query: string) =>
    (await world.json<{ data: { cve_id: string }[] }>(`/cves?${query}`)).data
      .map(({ cve_id }) => cve_id.slice(-1))
      .join('')
  return { world, ask, refusedFor, ids }
}
