/** Titles, descriptions and advice, combined from original sentences to the lengths of real ones. */
import { dateOf } from '../calendar.ts'
import { DESCRIPTION_LENGTH, NON_ASCII, SOLUTION_LENGTH, TITLE_LENGTH } from '../figures.ts'
import * as phrases from '../phrases.ts'
import type { Random } from '../random.ts'
import { FUNCTION_NAMES, KERNEL_AREAS, KERNEL_VERBS } from '../words.ts'
import type { Facts } from '../world.ts'

/** Maximum lengths in characters. Upstream's limits are 256 for a title and 4096 for a description. */
const TITLE_MAX = 256
const DESCRIPTION_MAX = 3998

interface Weakness {
  name: string
  effect: string
}

export function weaknessPhrase(number: number): Weakness {
  const known = phrases.WEAKNESS_PHRASES[number]
  return known
    ? { name: known[0], effect: known[1] }
    : { name: `Weakness of Class ${number}`, effect: 'break an assumption of the design' }
}

export function titleOf(facts: Facts, random: Random): string {
  const target = TITLE_LENGTH(random.float())
  const { name } = weaknessPhrase(facts.weakness)
  if (facts.cna.kind === 'kernel') return kernelTitle(target, random)
  const component = random.pick(phrases.COMPONENTS)
  const method = random.pick(FUNCTION_NAMES)
  const pieces = [
    name,
    ` in ${facts.product}`,
    random.chance(0.04) ? ` "${component}"` : ` ${component}`,
    random.chance(0.08) ? ` (${method})` : '',
    ` by ${facts.vendor.name}`,
    random.chance(0.1) ? ` via the '${random.pick(phrases.PARAMETERS)}' parameter` : ' via a crafted request',
    ` that lets an attacker ${weaknessPhrase(facts.weakness).effect}`,
    ` ${random.pick(phrases.CAUSES)}`,
    ` ${random.pick(phrases.OUTCOMES)}`,
  ]
  return growTo(pieces, target, TITLE_MAX)
}

function kernelTitle(target: number, random: Random): string {
  const area = random.pick(KERNEL_AREAS)
  const pieces = [
    `${area.split('/').at(-1)}: ${random.pick(KERNEL_VERBS)} ${random.pick(FUNCTION_NAMES)}()`,
    random.chance(0.4) ? ` when ${random.pick(FUNCTION_NAMES)} fails` : ' on the error path',
    ` of ${area}`,
    ' after a suspended device wakes up again',
  ]
  return growTo(pieces, target, TITLE_MAX)
}

/** Joins the first piece with as many of the next ones as approximate `target` characters. */
function growTo(pieces: readonly string[], target: number, most: number): string {
  let text = pieces[0]!
  for (const piece of pieces.slice(1)) {
    const longer = text.length + piece.length
    if (longer > most || longer - target > target - text.length) break
    text += piece
  }
  return text
}

export function descriptionOf(facts: Facts, random: Random): string {
  const target = DESCRIPTION_LENGTH(random.float())
  const subject = facts.cna.kind === 'kernel' ? 'the kernel' : `${facts.vendor.name} ${facts.product}`
  const { name, effect } = weaknessPhrase(facts.weakness)
  const version = versionText(random)
  const lead =
    target < 100
      ? random.pick([`${name} in ${facts.product}.`, `${facts.product} allows ${name}.`, `${name} before ${version}.`])
      : random.pick([
          `${name} in the ${random.pick(phrases.COMPONENTS)} of ${subject} before ${version} allows ${lower(random.pick(phrases.ATTACKERS))} to ${effect}.`,
          `A vulnerability was found in ${subject} up to ${version}: the ${random.pick(phrases.COMPONENTS)} can be used to ${effect}.`,
          `${subject} through ${version} lets anyone ${effect} ${random.pick(phrases.CAUSES)}.`,
        ])
  const breaks = facts.cna.kind === 'kernel' || random.chance(0.18)
  const gap = breaks ? '\n\n' : ' '
  let text =
    facts.cna.kind === 'kernel'
      ? `The following flaw in the kernel has been resolved:\n\n${kernelTitle(70, random)}\n\n${lead}`
      : lead
  if (random.chance(NON_ASCII)) text += ` ${random.pick(phrases.NON_ASCII_SENTENCES)}`
  while (text.length < target - 45) {
    const next = target > 1200 && random.chance(0.5) ? traceOf(random) : sentenceOf(facts, random)
    if (text.length + next.length + 2 > DESCRIPTION_MAX) break
    text += gap + next
  }
  return text
}

function sentenceOf(facts: Facts, random: Random): string {
  const component = random.pick(phrases.COMPONENTS)
  switch (random.int(7)) {
    case 0:
      return `${random.pick(phrases.ATTACKERS)} could ${weaknessPhrase(facts.weakness).effect} ${random.pick(phrases.CAUSES)}.`
    case 1:
      return `The ${component} of ${facts.product} is affected ${random.pick(phrases.CAUSES)}.`
    case 2:
      return `The function ${random.pick(FUNCTION_NAMES)} in ${random.pick(phrases.PATHS)} takes the argument ${random.pick(phrases.PARAMETERS)} as it is.`
    case 3:
      return `Versions from ${versionText(random)} to ${versionText(random)} have the flaw; ${versionText(random)} does not.`
    case 4:
      return `It was noticed on ${dateOf(facts.reservedAt)} while the ${component} was under test.`
    default:
      return random.pick(phrases.OUTCOMES)
  }
}

/** Returns lines like those of a crash report, which are most of the longest descriptions. */
function traceOf(random: Random): string {
  let time = random.between(10, 900)
  return Array.from({ length: random.between(3, 9) }, () => {
    time += random.int(3)
    return `[ ${time}.${String(random.int(1_000_000)).padStart(6, '0')}] ${random.pick(FUNCTION_NAMES)}+0x${random.hex(2)}/0x${random.hex(3)}`
  }).join('\n')
}

/** Returns a German description, as one CNA writes them. */
export function germanDescription(facts: Facts, random: Random): string {
  const sentences = Array.from({ length: random.between(2, 4) }, () => random.pick(phrases.GERMAN_SENTENCES))
  return `${sentences.join(' ')} (${facts.vendor.name} ${facts.product})`
}

/** Returns a paragraph of advice with a realistic length. */
export function adviceOf(list: readonly string[], random: Random): string {
  const target = SOLUTION_LENGTH(random.float())
  let text = random.pick(list)
  while (text.length < target - 40) text += ` ${random.pick(list)}`
  return text
}

/** Returns the text as HTML, which some CNAs add. */
export function markup(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<p>${escaped.replaceAll('\n', '<br>')}</p>`
}

function versionText(random: Random): string {
  const parts = [random.between(0, 12), random.int(21), random.int(31)]
  return parts.slice(0, random.chance(0.8) ? 3 : 2).join('.')
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
