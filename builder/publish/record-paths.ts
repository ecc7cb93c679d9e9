/** Paths of record files below a target. SPEC.md, "Record files". */
import type { CveId } from '../../corpus/model/ids/cve-id.ts'

export const RECORDS_FOLDER = 'cves'
/** Names the snapshots that the files are of. */
export const RECORDS_STATE = 'records.json'

export const recordPath = (id: CveId) => `${RECORDS_FOLDER}/${id}.json`
/** A block such as `2024/3xxx` is one file. */
export const scoresPath = (block: string) => `${RECORDS_FOLDER}/epss/${block.replace('/', '-')}.json`

const PATTERN = /^cves\/(?:CVE-\d{4}-\d{4,19}|epss\/\d{4}-\d{1,16}xxx)\.json$/
export const isRecordFile = (path: string): boolean => PATTERN.test(path)
