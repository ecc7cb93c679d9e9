/** Lines as an SVG plot: a panel for each line, with its cost by corpus size, and its budget. */
import { type BenchLine, isMet, type Spread } from './line.ts'
import { budgetText, figureText } from './table.ts'

const PANEL = { width: 330, height: 220 }
const MARGIN = { left: 52, right: 16, top: 46, bottom: 30 }
const PANELS_A_ROW = 3
const TICKS = 4
/** The axis is logarithmic if the largest value exceeds this many times the smallest. */
const LINEAR_UP_TO = 30
const DOT = 4

const STYLE = `
    text { font: 11px system-ui, sans-serif; fill: #333 }
    .ground { fill: #fff } .name { font-weight: 600; font-size: 13px } .faint { fill: #777 }
    .axis { stroke: #bbb } .budget { stroke: #c60; stroke-dasharray: 5 4 } .budget-text { fill: #a50 }
    .cost { stroke: #06c; fill: none; stroke-width: 1.5 } .met { fill: #06c } .missed { fill: #fff; stroke: #c22; stroke-width: 2 }
    @media (prefers-color-scheme: dark) {
      text { fill: #ddd } .ground { fill: #16181c } .faint { fill: #999 } .axis { stroke: #555 }
      .budget { stroke: #f93 } .budget-text { fill: #fb6 } .cost { stroke: #6af } .met { fill: #6af } .missed { fill: #16181c; stroke: #f66 }
    }`

export function plot(lines: readonly BenchLine[]): string {
  const names = [...new Set(lines.map(({ name }) => name))]
  const sizes = [...new Set(lines.map(({ cves }) => cves))].sort((a, b) => a - b)
  const columns = Math.min(PANELS_A_ROW, Math.max(1, names.length))
  const width = columns * PANEL.width
  const height = Math.ceil(names.length / columns) * PANEL.height
  const panels = names.map((name, i) => {
    const [x, y] = [(i % columns) * PANEL.width, Math.floor(i / columns) * PANEL.height]
    const own = lines.filter((line) => line.name === name).sort((a, b) => a.cves - b.cves)
    return `  <g class="panel" transform="translate(${x} ${y})">\n${panel(own, sizes)}\n  </g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
  <title>What each line costs on corpora of ${sizes.map(figureText).join(', ')} CVEs</title>
  <style>${STYLE}
  </style>
  <rect class="ground" width="100%" height="100%"/>
${panels.join('\n')}
</svg>
`
}

/** The value of a panel: what the budget limits; without a budget, the ratio if there is one. */
const showsRatio = ({ budget, ratio }: BenchLine) => ratio !== null && budget?.of !== 'figure'

function spreadShown(line: BenchLine): Spread {
  const { figure, ratio } = line
  return showsRatio(line) ? ratio! : { median: figure, min: figure, max: figure }
}

function panel(lines: readonly BenchLine[], sizes: readonly number[]): string {
  const [first] = lines as [BenchLine]
  const { name, unit, reference, budget } = first
  const shown = lines.map((line) => ({ line, spread: spreadShown(line) }))
  const bound = budget?.least ?? budget?.most
  const values = shown.flatMap(({ spread }) => [spread.min, spread.max])
  const y = verticalScale(bound === undefined ? values : [...values, bound])
  const x = horizontalScale(sizes)
  const [left, right] = [MARGIN.left, PANEL.width - MARGIN.right]
  const bottom = PANEL.height - MARGIN.bottom
  const of = showsRatio(first) ? `ratio to ${reference?.title ?? 'the reference'}` : unit
  const parts = [
    label(12, 18, name, 'name'),
    label(12, 34, shortened(of), 'faint'),
    ...y.ticks.flatMap((tick) => [
      rule(left, y.at(tick), right, y.at(tick), 'axis', 0.5),
      label(left - 6, y.at(tick) + 4, figureText(tick), 'faint', 'end'),
    ]),
    rule(left, bottom, right, bottom, 'axis', 1),
    ...sizes.map((size) => label(x(size), bottom + 16, sizeText(size), 'faint', 'middle')),
  ]
  if (bound !== undefined) {
    parts.push(rule(left, y.at(bound), right, y.at(bound), 'budget', 1.5))
    parts.push(label(right, 18, `budget ${budgetText(budget, unit)}`, 'budget-text', 'end'))
  }
  const points = shown.map(({ line, spread }) => `${round(x(line.cves))},${round(y.at(spread.median))}`)
  parts.push(`<polyline class="cost" points="${points.join(' ')}"/>`)
  for (const { line, spread } of shown) {
    const at = x(line.cves)
    parts.push(rule(at, y.at(spread.min), at, y.at(spread.max), 'cost', 1.5))
    const state = isMet(line) === false ? 'missed' : 'met'
    parts.push(`<circle class="${state}" cx="${round(at)}" cy="${round(y.at(spread.median))}" r="${DOT}"/>`)
    parts.push(label(at + 7, y.at(spread.median) - 6, figureText(spread.median), ''))
  }
  return parts.map((part) => `    ${part}`).join('\n')
}

/** Logarithmic scale of sizes; a single size is in the middle. */
function horizontalScale(sizes: readonly number[]): (cves: number) => number {
  // Space for the figures next to the points.
  const [from, to] = [MARGIN.left + 22, PANEL.width - MARGIN.right - 40]
  const [least, most] = [Math.log(sizes[0] ?? 1), Math.log(sizes.at(-1) ?? 1)]
  return (cves) => (most === least ? (from + to) / 2 : from + ((Math.log(cves) - least) / (most - least)) * (to - from))
}

interface VerticalScale {
  ticks: number[]
  at(value: number): number
}

function verticalScale(values: readonly number[]): VerticalScale {
  const [from, to] = [PANEL.height - MARGIN.bottom, MARGIN.top]
  const most = Math.max(...values)
  const least = Math.min(...values)
  if (least > 0 && most > least * LINEAR_UP_TO) {
    const [low, high] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))]
    const ticks = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i))
    return { ticks, at: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from) }
  }
  const step = niceStep((most > 0 ? most : 1) / TICKS)
  // One step above the highest point, as space for its figure.
  const top = step * (Math.floor(most / step) + 1)
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, i) => i * step)
  return { ticks, at: (value) => from + (value / top) * (to - from) }
}

/** Returns 1, 2 or 5 times a power of ten, at least `step`. */
function niceStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step))
  return [1, 2, 5, 10].map((times) => times * power).find((nice) => nice >= step * (1 - 1e-9))!
}

const MOST_CHARACTERS = 52
const shortened = (text: string) => (text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text)

/** `13k`, `350k`, `1.5M`. */
const sizeText = (cves: number) =>
  cves >= 1e6 ? `${figureText(cves / 1e6)}M` : cves >= 1000 ? `${figureText(cves / 1000)}k` : `${cves}`

const round = (value: number) => Number(value.toFixed(1))

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => ESCAPES[character]!)

function label(x: number, y: number, text: string, name: string, anchor: 'start' | 'middle' | 'end' = 'start'): string {
  return `<text class="${name}" x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escaped(text)}</text>`
}

function rule(x1: number, y1: number, x2: number, y2: number, name: string, width: number): string {
  return `<line class="${name}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke-width="${width}"/>`
}
