/** The words, sentences and templates of the sample. */
import { DESCRIPTION_LENGTH } from './figures.ts'
import type { Random } from './random.ts'
import { laterRelease, releaseOf } from './records/versions.ts'
import type { Facts } from './world.ts'

/** `key: word|word`. A template names a key in braces. */
const WORDS = new Map(
  `component: login form|file upload|session cache|settings page|REST endpoint|template engine|packet decoder|web console
parameter: id|name|redirect_to|q|user_id|sort%5B%5D|file|page|callback
person: Ada Lindqvist|Bo Karhu|Chidi Okparo|Émile Tournay|Fatma Yıldızer|Zoë van Aarden|k1tewing|nullmoth|李清和
function: parse_header|read_frame|set_option|handle_reply|copy_segment|check_token|decode_chunk|get_user_meta
attacker: a remote attacker|an unauthenticated user|a local user|an authenticated administrator
cause: because a length is not checked|because a value is not escaped|due to a missing nonce check|on an error path
outcome: Data can be lost.|The service must be restarted.|No user interaction is required.|The default installation is affected.
fix: Update to the newest release.|Install the corrected build of the vendor.|Apply the patch and restart the service.
workaround: Restrict access to the management port.|Block the request path at the firewall.|Disable the feature.
foreign: 該元件未檢查輸入長度。|Affected menus include “Überblick – Gerät” and “Größe”.|The character ’ triggers the fault.
sentence: {outcome}|{outcome}|The {component} is affected {cause}.|The function {function} does not check {parameter}.
level: High|Medium|Low
phase: Architecture and Design|Implementation|Operation
scope: Confidentiality|Integrity|Availability|Access Control
impact: Read Data|Modify Data|Execute Unauthorized Commands|Crash
method: Automated Static Analysis|Manual Review|Fuzzing
act: Probing|Flooding|Replaying|Forging|Tracing`
    .split('\n')
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2).split('|')] as const),
)

/** Returns a word of a key. */
export const word = (key: string, random: Random): string => random.pick(WORDS.get(key)!)

type Values = Record<string, unknown>

/**
 * Fills a template: each `{key}` with a value, otherwise with a word of the key. `{hex8}` gives as many hexadecimal
 * digits, `{int4}` a number of as many digits.
 */
export function filled(template: string, random: Random, values: Values = {}): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, key: string) => {
    if (values[key] !== undefined) return String(values[key])
    if (WORDS.has(key)) return filled(word(key, random), random, values)
    const count = Number(key.slice(3))
    return key.startsWith('hex') ? random.hex(count) : String(random.between(10 ** (count - 1), 10 ** count - 1))
  })
}

/** Returns the value of a JSON template. In it, `{key}` is a part of a text, and `$key` is any value. */
export function fromJson(template: string, random: Random, values: Values): Record<string, unknown> {
  const written = (text: string) => JSON.stringify(text).slice(1, -1)
  const json = template.replaceAll(/\$(\w+)|\{(\w+)\}/g, (_, value?: string, text?: string) =>
    value ? JSON.stringify(values[value]) : written(filled(`{${text}}`, random, values)),
  )
  return JSON.parse(json)
}

/** `effect for an attacker: number name|number name` of frequent weaknesses. */
const PHRASES = new Map(
  `run code: 77 Command Injection|78 OS Command Injection|94 Code Injection|434 Unrestricted File Upload|502 Unsafe Deserialization
corrupt memory: 119 Memory Bounds Error|120 Classic Buffer Overflow|121 Stack-based Buffer Overflow|787 Out-of-bounds Write
corrupt the heap: 122 Heap-based Buffer Overflow|190 Integer Overflow|416 Use After Free
read private data: 22 Path Traversal|125 Out-of-bounds Read|200 Information Exposure|918 Server-Side Request Forgery
run scripts in the browser of other users: 79 Stored Cross-Site Scripting|80 Basic Cross-Site Scripting
change database queries: 89 SQL Injection
act with the rights of other users: 269 Improper Privilege Handling|284 Improper Access Control|352 Cross-Site Request Forgery
act without permission: 287 Authentication Bypass|306 Missing Authentication|862 Missing Authorization
stop the service: 20 Improper Input Validation|400 Resource Exhaustion|476 NULL Pointer Dereference`
    .split('\n')
    .flatMap((line) => {
      const [effect, names] = line.split(': ') as [string, string]
      return names.split('|').map((one) => [Number.parseInt(one, 10), { name: one.replace(/^\d+ /, ''), effect }])
    }),
)
const FAULTS = ['Improper Handling of', 'Missing Check of', 'Incorrect Use of', 'Weak Protection of', 'Exposure of']
const OBJECTS =
  `Session Tokens|Symbolic Links|File Permissions|Temporary Files|Error Messages|Shared Resources|Signatures|Certificates
|Default Values|Array Indexes|Timing|Random Values|Locks`.split(/\s?\|/)

/** Returns the name of a weakness, and its effect for an attacker. */
export function weaknessPhrase(number: number): { name: string; effect: string } {
  // The lengths are coprime, so that close numbers have different names.
  const [fault, object] = [FAULTS[number % FAULTS.length], OBJECTS[number % OBJECTS.length]!]
  return PHRASES.get(number) ?? { name: `${fault} ${object}`, effect: `misuse ${object.toLowerCase()}` }
}

export function titleOf(facts: Facts, random: Random): string {
  const { name } = weaknessPhrase(facts.weakness)
  return filled(`${name} in ${facts.product}${random.chance(0.6) ? ' {component} via {parameter}' : ''}`, random)
}

/** Adds sentences up to about `target` characters. */
export function extended(text: string, target: number, next: () => string, gap = ' '): string {
  let grown = text
  while (grown.length < target - 25) grown += gap + next()
  return grown
}

export function descriptionOf(facts: Facts, random: Random): string {
  const target = DESCRIPTION_LENGTH(random.float())
  const { name, effect } = weaknessPhrase(facts.weakness)
  const subject = `${facts.vendor.name} ${facts.product}`
  if (target < 100) return `${name} in ${facts.product}.`
  const fixed = laterRelease(releaseOf(random), random).join('.')
  const lead = filled(
    `${name} in the {component} of ${subject} before ${fixed} allows {attacker} to ${effect}.`,
    random,
  )
  const foreign = random.chance(0.11) ? ` ${word('foreign', random)}` : ''
  return extended(lead + foreign, target, () => filled('{sentence}', random), random.chance(0.2) ? '\n\n' : ' ')
}
