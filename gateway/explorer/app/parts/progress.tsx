/** What is downloaded once before a list can be filtered. */
import { useEffect, useState } from 'preact/hooks'
import type { Progress } from '../data/api.ts'
import { useSession } from '../data/use.ts'
import { Loading } from './answer.tsx'

const BYTES = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 })
const formatMegabytes = (bytes: number): string => BYTES.format(bytes / 1e6)

/** Shows the progress of a download that the API reports, else that something is loaded. */
export function LoadingProgress() {
  const { api } = useSession()
  const [progress, setProgress] = useState<Progress | null>(null)
  useEffect(() => api.onProgress?.(setProgress), [api])
  if (!progress) return <Loading />
  const { name, loaded, total } = progress
  return (
    <div class="loading">
      <label>
        {name}: {formatMegabytes(loaded)}
        {total === null ? null : ` of ${formatMegabytes(total)}`}. The browser keeps them.
        <progress {...(total === null ? {} : { max: total, value: loaded })} />
      </label>
    </div>
  )
}
