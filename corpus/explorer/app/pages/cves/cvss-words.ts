/** A CVSS vector as a sentence: how the attack works, and what it harms. */

/** How the attack works, metric by metric, in the order of the sentence. A value that is not here adds nothing. */
const ATTACK: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  AV: { N: 'over the network', A: 'from an adjacent network', L: 'with local access', P: 'with physical access' },
  AC: { L: 'low complexity', M: 'medium complexity', H: 'high complexity' },
  AT: { P: 'special conditions' },
  PR: { N: 'no privileges', L: 'low privileges', H: 'high privileges' },
  Au: { N: 'no authentication', S: 'one authentication', M: 'several authentications' },
  UI: { N: 'no user interaction', R: 'user interaction', P: 'passive user interaction', A: 'active user interaction' },
  S: { C: 'changed scope' },
}

/** What it harms. CVSS 4.0 has the vulnerable system (V) and subsequent systems (S). */
const HARM: readonly (readonly [keys: readonly string[], where: string])[] = [
  [['C', 'I', 'A'], ''],
  [['VC', 'VI', 'VA'], ''],
  [['SC', 'SI', 'SA'], ' of other systems'],
]
const PROPERTIES = ['confidentiality', 'integrity', 'availability']
const LEVELS: Readonly<Record<string, string>> = { H: 'high', C: 'complete', P: 'partial', L: 'low' }

/** `high impact on integrity and availability` */
function harmText(values: ReadonlyMap<string, string>, keys: readonly string[], where: string): string[] {
  return Object.entries(LEVELS).flatMap(([letter, level]) => {
    const harmed = PROPERTIES.filter((_, i) => values.get(keys[i]!) === letter)
    return harmed.length === 0 ? [] : [`${level} impact on ${listed(harmed)}${where}`]
  })
}

const listed = (names: readonly string[]): string =>
  names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/**
 * Returns the base metrics in words: `over the network, low complexity, no privileges; high impact on integrity`. Null if
 * the vector does not state how the attack works.
 */
export function vectorWords(vector: string): string | null {
  const values = new Map(
    vector
      .slice(0, 1000)
      .replace(/^\(|\)$/g, '')
      .split('/')
      .map((part) => part.split(':', 2) as [string, string]),
  )
  // In CVSS 4.0, S is a supplemental metric.
  const hasScope = values.has('C')
  const attack = Object.entries(ATTACK).flatMap(([key, texts]) => {
    const letters = key === 'S' && !hasScope ? undefined : values.get(key)
    return letters !== undefined && Object.hasOwn(texts, letters) ? [texts[letters]!] : []
  })
  if (!values.has('AV') || attack.length === 0) return null
  const harm = HARM.flatMap(([keys, where]) => harmText(values, keys, where))
  return [attack.join(', '), ...(harm.length === 0 ? ['no impact'] : harm)].join('; ')
}
