/** Draws stacked bars by month with uPlot. Loaded when a chart is shown. */
import uPlot from 'uplot'
import { formatCompact } from '../parts/format.ts'
import { stacked, yearStep } from './months.ts'

export interface BarsInput {
  /** Months since year 0 of the first value. */
  first: number
  /** From the bottom of the stack up: values by month and a CSS colour. */
  series: readonly { values: readonly number[]; colour: string }[]
  colours: { text: string; line: string }
  width: number
  height: number
  /** The pointer is at this month, counted from 0; null if it is outside. */
  onPoint(index: number | null): void
}

/** Returns a function that removes the chart. */
export function drawBars(target: HTMLElement, input: BarsInput): () => void {
  const { first, series, colours, width, height, onPoint } = input
  const values = series.map((one) => one.values)
  const x = Array.from(values[0] ?? [], (_, i) => first + i)
  // The highest sum is drawn first, and lower ones over it.
  const sums = stacked(values).toReversed()
  const axis = {
    stroke: colours.text,
    grid: { stroke: colours.line, width: 1 },
    ticks: { stroke: colours.line, width: 1 },
    font: '12px system-ui, sans-serif',
  }
  const paths = uPlot.paths.bars!({ size: [0.85, 60], align: 0 })
  const plot = new uPlot(
    {
      width,
      height,
      legend: { show: false },
      padding: [10, 8, 0, 0],
      cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
      scales: { x: { time: false, range: [first - 0.5, first + Math.max(x.length, 1) - 0.5] } },
      axes: [
        {
          ...axis,
          size: 32,
          grid: { show: false },
          splits: () => januaries(first, x.length, Math.max(3, Math.floor(width / 70))),
          values: (_, months) => months.map((month) => String(month / 12)),
        },
        { ...axis, size: 52, values: (_, counts) => counts.map((count) => formatCompact(count)) },
      ],
      series: [
        {},
        ...series
          .toReversed()
          .map(({ colour }) => ({ fill: colour, stroke: colour, width: 0, paths, points: { show: false } })),
      ],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    },
    [x, ...sums],
    target,
  )
  plot.root.setAttribute('aria-hidden', 'true')
  return () => plot.destroy()
}

function januaries(first: number, count: number, most: number): number[] {
  const step = yearStep(count, most) * 12
  const start = Math.ceil(first / step) * step
  return Array.from({ length: Math.max(0, Math.ceil((first + count - start) / step)) }, (_, i) => start + i * step)
}
