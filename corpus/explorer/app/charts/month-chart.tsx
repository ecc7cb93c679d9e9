/** A chart of counts by month: stacked bars, a legend, the values under the pointer, and all values as a table. */
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { formatCount, formatMonth } from '../parts/format.ts'
import { ChartTable, type Column } from './chart-table.tsx'
import { withoutGaps } from './months.ts'
import { useColours } from './use-colours.ts'
import { useWidth } from './use-width.ts'

interface Series<Row> {
  /** Also the class of its colour. */
  name: string
  label: string
  value(row: Row): number
}

interface MonthChartProps<Row> {
  title: string
  /** The unit of the counts, the label of the vertical axis. */
  unit: string
  rows: readonly Row[]
  empty(month: string): Row
  /** From the bottom of the stack up. */
  series: readonly Series<NoInfer<Row>>[]
  /** The page that lists the CVEs of a month. */
  linkOf?(month: string): string
  children?: ComponentChildren
}

const HEIGHT = 240
const SPANS = [
  ['all', 'all years', Number.POSITIVE_INFINITY],
  ['10', 'last 10 years', 120],
  ['3', 'last 3 years', 36],
] as const

export function MonthChart<Row extends { month: string }>(props: MonthChartProps<Row>) {
  const { title, unit, series, empty, linkOf, children } = props
  const [span, setSpan] = useState<string>('all')
  const [point, setPoint] = useState<number | null>(null)
  const area = useRef<HTMLDivElement>(null)
  const legend = useRef<HTMLUListElement>(null)
  const width = useWidth(area)
  const colours = useColours(legend)
  const { first, rows } = useMemo(() => {
    const all = withoutGaps(props.rows, empty)
    const skipped = Math.max(0, all.rows.length - SPANS.find(([name]) => name === span)![2])
    return { first: all.first + skipped, rows: all.rows.slice(skipped) }
  }, [props.rows, span])
  useEffect(() => {
    if (!area.current || !colours || width === 0 || rows.length === 0) return
    const target = area.current
    let remove = () => {}
    let isGone = false
    import('./bars.ts').then(
      ({ drawBars }) => {
        if (isGone) return
        const drawn = series.map(({ value }, i) => ({ values: rows.map(value), colour: colours.swatches[i]! }))
        remove = drawBars(target, { first, series: drawn, colours, width, height: HEIGHT, onPoint: setPoint })
      },
      // The table has the values too.
      () => {},
    )
    return () => {
      isGone = true
      remove()
    }
  }, [colours, width, rows])
  const shown = point === null ? undefined : rows[point]
  const columns: Column<Row>[] = series.map(({ label, value }) => ({ label, value: (row) => formatCount(value(row)) }))
  return (
    <figure class="chart">
      <figcaption>
        <h2>{title}</h2>
        <label class="span">
          <span class="for-reader">Period of “{title}”</span>
          <select value={span} onChange={({ currentTarget }) => setSpan(currentTarget.value)}>
            {SPANS.map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </figcaption>
      <ul class={series.length > 1 ? 'legend' : 'for-reader'} ref={legend}>
        {series.map(({ name, label }) => (
          <li key={name}>
            <span class={`swatch ${name}`} /> {label}
          </li>
        ))}
      </ul>
      <p class="axis">{unit}</p>
      <div class="plot" ref={area} aria-hidden="true" />
      <p class="axis below">Month</p>
      <p class="readout" aria-hidden="true">
        {shown ? readout(shown, series) : ' '}
      </p>
      {children}
      <ChartTable
        caption={title}
        head="Month"
        columns={columns}
        rows={rows.toReversed()}
        nameOf={({ month }) => formatMonth(month)}
        {...(linkOf ? { linkOf: ({ month }: Row) => linkOf(month) } : {})}
      />
    </figure>
  )
}

function readout<Row extends { month: string }>(row: Row, series: readonly Series<Row>[]): string {
  const total = series.reduce((sum, { value }) => sum + value(row), 0)
  const parts = series
    .filter(({ value }) => value(row) > 0)
    .map(({ label, value }) => `${label} ${formatCount(value(row))}`)
  const more = series.length > 1 && parts.length > 0 ? ` (${parts.join(', ')})` : ''
  return `${formatMonth(row.month)}: ${formatCount(total)}${more}`
}
