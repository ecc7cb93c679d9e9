/** What the bench prints. */
import type { Ratio, ServerFigures } from '../figures.ts'

export interface LineReport {
  name: string
  title: string
  budget: number
  /** Different requests that were made in turn. */
  targets: number
  /** Length of the constant body: the median of a sample of the gateway's answers. */
  bodyBytes: number
  servers: Record<string, ServerFigures>
  /** Of the gateway's requests/s to those of each other server. */
  ratios: Record<string, Ratio>
}

export interface BenchReport {
  node: string
  platform: string
  cpu: string
  cores: number
  snapshot: string
  cves: number
  connections: number
  rounds: number
  seconds: number
  lines: LineReport[]
}

export function conditions(report: BenchReport): string {
  const { node, platform, cpu, cores, snapshot, cves, connections, rounds, seconds } = report
  return `Requests per second over HTTP: the gateway next to servers that do nothing but answer.
  machine   ${cores} cores, ${cpu}; ${platform}, node ${node}; the load generator shares it
  snapshot  ${snapshot.slice(0, 16)}, ${cves.toLocaleString('en')} CVEs
  gateway   vulnshelf-gateway serve: ES256 token on every request, access log to a file
  polka     node:http + polka, the gateway's headers, a constant gzip body of median length
  node      node:http alone, that body and no headers of its own: the limit
  load      ${connections} keep-alive connections with one request each, gzip accepted, different requests in random order;
            every status checked; ${rounds} rounds of ${seconds} s for each server in turn, after a warm-up: what
            the gateway remembers of rows and matches (within its bounds) it remembers by then
`
}

type Cell = string | number
const HEADINGS = ['line', 'requests', 'bytes', 'gateway/s', 'polka/s', 'node/s', 'of polka', 'min', 'max', 'budget']
const LATENCY_HEADINGS = ['', 'p50 ms', 'p99 ms', 'polka p50', 'p99']

export function table({ lines }: BenchReport): string {
  const others = Object.keys(lines[0]?.ratios ?? {}).filter((name) => name !== 'polka' && name !== 'node')
  const rows = lines.map(({ name, targets, bodyBytes, budget, servers, ratios }): Cell[] => {
    const { gateway, polka, node } = servers as Record<'gateway' | 'polka' | 'node', ServerFigures>
    const { median, min, max } = ratios.polka!
    return [
      name,
      targets,
      bodyBytes,
      ...[gateway, polka, node].map(({ requestsPerSecond }) => Math.round(requestsPerSecond)),
      ...[median, min, max].map((value) => value.toFixed(2)),
      `${budget.toFixed(2)}${median >= budget ? '' : ' !'}`,
      '',
      ...[gateway.p50, gateway.p99, polka.p50, polka.p99].map((ms) => ms.toFixed(2)),
      ...others.flatMap((other) => [servers[other]!.requestsPerSecond.toFixed(0), ratios[other]!.median.toFixed(2)]),
    ]
  })
  const headings = [...HEADINGS, ...LATENCY_HEADINGS, ...others.flatMap((other) => [`${other}/s`, `of ${other}`])]
  return aligned([headings, ...rows])
}

/** The first column to the left, the others to the right. */
function aligned(rows: readonly Cell[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)))
  return rows
    .map((row) =>
      row.map((cell, i) => (i === 0 ? String(cell).padEnd(widths[i]!) : String(cell).padStart(widths[i]!))).join('  '),
    )
    .join('\n')
}

/** Whether the load generator itself was the limit of anything: near 1 it would be. */
export function loadNote({ lines }: BenchReport): string {
  const busy = Math.max(...lines.map(({ servers }) => servers.node!.loadBusy))
  return `load generator: at most ${Math.round(busy * 100)} % busy while node:http alone answered${
    busy > 0.95 ? '; it may have been the limit, so ratios are better than they look' : ''
  }`
}
