/** Replayed changes as a table for people: what the plain diff says, what the timeline says, the verdict. */
import type { Fact, ListDiff } from './replay-diff.ts'
import type { Verdict } from './replay-judge.ts'

const ROWS = 50

/** Markdown; of all changes, in the order of dates and ids, as many as fit, evenly picked. */
export function replayTable(
  dates: readonly string[],
  diffs: readonly ListDiff[],
  verdicts: readonly Map<string, Verdict>[],
): string {
  const all = diffs.flatMap(({ changed }, pair) => Object.entries(changed).map((entry) => ({ pair, entry })))
  const picked = Array.from({ length: ROWS }, (_, row) => all[Math.floor(((row + 0.5) * all.length) / ROWS)]!)
  const rows = picked.map(({ pair, entry: [cveId, { facts, other }] }) => {
    const verdict = verdicts[pair]!.get(cveId)
    const cells = [
      cveId,
      `${dates[pair]} → ${dates[pair + 1]}`,
      [...facts.map(factLine), ...(other.length > 0 ? [`${other.length} other paths`] : [])].join('; '),
      verdict ? verdict.entries.map(entryLine).join('; ') : 'no record any more, or none before',
      verdict && verdict.faults.length > 0 ? verdict.faults.join('; ') : 'right',
    ]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  return ['| CVE | dates | plain diff | timeline | verdict |', '| --- | --- | --- | --- | --- |', ...rows].join('\n')
}

function factLine(fact: Fact): string {
  switch (fact.fact) {
    case 'reference':
      return `reference ${operation(fact)} ${fact.url}`
    case 'affected':
      return `affected ${operation(fact)} ${fact.new?.entry.product ?? fact.old?.entry.product ?? ''}`
    case 'cvss':
      return `cvss ${operation(fact)} ${fact.new?.score ?? fact.old?.score} (${fact.new?.version ?? fact.old?.version})`
    case 'title':
    case 'description':
    case 'workaround':
      // Never upstream's own texts.
      return `${fact.fact} ${operation(fact)}`
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
  const paths = [
    ...new Set(entry.messages.slice(1).map(({ json_path }) => json_path.replace(/\[\d+\]/, '[]').slice(2))),
  ]
  return `${entry.title} (v${span}, ${counts}, ${entry.changed_at}): ${paths.join(', ')}`
}
