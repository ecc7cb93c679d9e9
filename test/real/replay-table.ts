/** Replayed changes as a table for people: the plain diff, the timeline, the verdict. */
import type { Fact, ListDiff } from './replay-diff.ts'
import type { Verdict } from './replay-judge.ts'

/** Most changes only change the date: a few of them, spread evenly over dates and ids, and more of the others. */
const [ROWS, ROWS_OF_DATES] = [40, 10]

export function replayTable(
  dates: readonly string[],
  diffs: readonly ListDiff[],
  verdicts: readonly Map<string, Verdict>[],
): string {
  const all = diffs.flatMap(({ changed }, pair) => Object.entries(changed).map((entry) => ({ pair, entry })))
  const isDate = ({ entry: [, { facts }] }: (typeof all)[number]) => facts.every(({ fact }) => fact === 'updated')
  const picked = [
    ...evenly(
      all.filter((one) => !isDate(one)),
      ROWS,
    ),
    ...evenly(all.filter(isDate), ROWS_OF_DATES),
  ]
  const rows = picked.map(({ pair, entry: [cveId, { facts, other }] }) => {
    const verdict = verdicts[pair]!.get(cveId)
    const cells = [
      cveId,
      `${dates[pair]} → ${dates[pair + 1]}`,
      [...factLines(facts), ...(other.length > 0 ? [`${other.length} other paths`] : [])].join('; '),
      verdict ? verdict.entries.map(entryLine).join('; ') : 'no record any more, or none before',
      verdict && verdict.faults.length > 0 ? verdict.faults.join('; ') : 'right',
    ]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  return ['| CVE | dates | plain diff | timeline | verdict |', '| --- | --- | --- | --- | --- |', ...rows].join('\n')
}

function evenly<Item>(items: readonly Item[], count: number): Item[] {
  return Array.from({ length: count }, (_, index) => items[Math.floor(((index + 0.5) * items.length) / count)]!)
}

/** Returns facts of lists with the numbers of added and removed items. */
function factLines(facts: readonly Fact[]): string[] {
  const counts = new Map<string, number>()
  for (const fact of facts) counts.set(factLine(fact), (counts.get(factLine(fact)) ?? 0) + 1)
  return [...counts].map(([line, count]) => (count > 1 ? `${count} × ${line}` : line))
}

function factLine(fact: Fact): string {
  switch (fact.fact) {
    case 'reference':
    case 'affected':
    case 'title':
    case 'description':
    case 'workaround':
      // Never print upstream's own texts.
      return `${fact.fact} ${operation(fact)}`
    case 'cvss':
      return `cvss ${operation(fact)} ${fact.new?.score ?? fact.old?.score} (${fact.new?.version ?? fact.old?.version})`
    case 'ssvc':
      return `ssvc ${points(fact.old)} → ${points(fact.new)}`
    default:
      return `${fact.fact} ${fact.old} → ${fact.new}`
  }
}

const operation = ({ old, new: now }: { old: unknown; new: unknown }) =>
  old === null ? 'added' : now === null ? 'removed' : 'changed'
const points = (options: Record<string, string | null> | null) => (options ? Object.values(options).join('/') : 'none')

function entryLine(entry: Verdict['entries'][number]): string {
  const counts = `+${entry.added_count} ~${entry.modified_count} -${entry.removed_count}`
  const span =
    entry.version_from === entry.version_to ? `${entry.version_to}` : `${entry.version_from}→${entry.version_to}`
  const paths = [...new Set(entry.messages.slice(1).map(({ json_path }) => json_path.slice(2)))]
  return `${entry.title} (v${span}, ${counts}, ${entry.changed_at}): ${paths.join(', ')}`
}
