/** Finds the allowed name that a misspelled one probably means (rule 2). */

/** Accepts one edit per three characters, at most two. Returns null without a match. */
export function nearest(given: string, names: readonly string[]): string | null {
  const text = fold(given)
  let best: string | null = null
  let least = Math.min(2, Math.floor(text.length / 3))
  for (const name of names) {
    const slips = distance(text, fold(name))
    if (slips < least || (slips === least && best === null)) {
      best = name
      least = slips
    }
  }
  return best
}

/** Case and separators are not edits. */
function fold(name: string): string {
  return name.slice(0, 64).toLowerCase().replaceAll('-', '_')
}

/** Swapped neighbors count as one edit (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let edits = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) edits = Math.min(edits, before[j - 2]! + 1)
      row.push(edits)
    }
    before = above
    above = row
  }
  return above[b.length]!
}
