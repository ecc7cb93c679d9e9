/** The progress of a download that a list or a search needs once. */
import { useEffect, useState } from 'preact/hooks'
import type { Progress } from '../data/api.ts'
import { useSession } from '../data/use.ts'
import { Loading } from './answer.tsx'

const BYTES = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 })
const formatMegabytes = (bytes: number): string => BYTES.format(bytes / 1e6)

/** Shows the progress of a download that the API reports. Before a report it shows that something is loaded, or nothing. */
export function LoadingProgress({ isQuiet = false }: { isQuiet?: boolean }) {
  const { api } = useSession()
  const [progress, setProgress] = useState<Progress | null>(null)
  useEffect(() => api.onProgress?.(setProgress), [api])
  if (!progress) return isQuiet ? null : <Loading />
  const { loaded, total } = progress
  return (
    <label class="loading">
      Downloading tables, only once: {formatMegabytes(loaded)} of {formatMegabytes(total)}
      <progress max={total} value={loaded} />
    </label>
  )
}
