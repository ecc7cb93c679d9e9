/** `#/cves` and `#/cves/{cveId}` */
import type { PageProps } from '../pages.ts'
import { CvePage } from './cves/cve.tsx'
import { CveList } from './cves/list.tsx'

export default function CvesPage({ path: [id], query }: PageProps) {
  return id === undefined ? <CveList query={query} /> : <CvePage id={id} query={query} />
}
