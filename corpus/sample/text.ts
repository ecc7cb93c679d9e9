/** The words and sentences of the sample, all invented, and texts of the lengths of real ones. */
import { dateOf } from './calendar.ts'
import { DESCRIPTION_LENGTH, NON_ASCII, SOLUTION_LENGTH, TITLE_LENGTH } from './figures.ts'
import type { Random } from './random.ts'
import { laterRelease, releaseOf } from './records/versions.ts'
import type { Facts } from './world.ts'

/** `key: word|word`. A template names a key in braces. */
const WORDS = Object.fromEntries(
  `component: login form|file upload handler|session cache|settings page|REST endpoint|template engine|packet decoder
|web console|update service|configuration parser|image thumbnailer|search widget|export job|message queue|device driver
parameter: id|name|redirect_to|q|user_id|sort%5B%5D|file|page|callback|theme|email|order_by|lang
path: /admin/edit.php|/api/v2/items|/cgi-bin/setup|/index.php|/goform/wan_set|/user/profile|/search.jsp|/view/report.aspx
person: Ada Lindqvist|Bo Karhu|Chidi Okparo|Dana Wexley|Émile Tournay|Fatma Yıldızer|Gráinne Dolan|Hiro Tanabeki
|Jürgen Pfeilmann|Zoë van Aarden|k1tewing|nullmoth|李清和|Sørine Bakkedal
function: parse_header|read_frame|set_option|handle_reply|load_profile|copy_segment|check_token|render_view|free_context
|open_session|decode_chunk|update_cache|apply_filter|get_user_meta
folder: admin/partials|includes/modules/settings|includes|vendor/legacy/src/handlers
area: net/mesh|fs/quillfs|mm/slabs|drivers/gpu/lantern|drivers/net/heron|drivers/usb/kestrel|sound/soc/reed|block/ledger
verb: fix use-after-free in|avoid NULL deref in|hold the lock across|check the return value of|do not leak pages in
|fix refcount imbalance in|validate the length in|cancel pending work in|bail out early from
attacker: a remote attacker|an unauthenticated user|a local user|an attacker on the same network|a guest account
|a user with low privileges|an authenticated administrator|someone with physical access
cause: because a length is trusted without a check|since the value is not escaped before it is used
|as the permission is looked up after the action|because two threads share a buffer|when a crafted file is opened
|by way of a specially formed request|due to a missing nonce check|as an error path frees the object twice
|because default credentials stay active|when the “strict” option is switched off
outcome: This may end in the loss of data.|The service has to be restarted by hand afterwards.
|No user has to take part for this to work.|Success depends on the configuration of the host.
|A full compromise of the device is possible.|Sessions of other users can be taken over.
|Details of the method have become public and may be used.|Exploiting it takes several attempts.
|The default installation is affected.|Clusters with a single node are not affected.
fix: Update to the newest release.|The vendor has released a corrected build; installing it is advised.
|Apply the patch from the maintenance channel and restart the service.
|Upgrade the affected component and rotate its keys afterwards.|Users of older branches should move to a supported one.
workaround: Restrict access to the management port to trusted hosts.|Put a filtering proxy in front of the service.
|Switch the feature off in the settings until the update is installed.
|Remove the execute permission from the helper program.|Block the request path at the firewall.
foreign: The report by Ångström & Søn names the “naïve” parser as the cause.|該元件未檢查輸入長度。
|Affected menus include “Überblick – Gerät” and “Größe”.|The character ’ (U+2019) triggers the fault; é and ß do not.
|Les versions antérieures à l’été dernier sont touchées — même avec le correctif précédent.
german: Eine Schwachstelle wurde in dieser Software entdeckt.|Betroffen ist eine nicht näher bekannte Funktion.
|Durch Manipulation mit unbekannten Daten kann der Fehler ausgenutzt werden.|Ein Upgrade wird empfohlen.
sentence: {Attacker} could {effect} {cause}.|The {component} of {product} is affected {cause}.|{outcome}|{outcome}
|The function {function} in {path} takes the argument {parameter} as it is.|{outcome}
|{trace}|It was noticed on {date} while the {component} was under test.|{range}
lead: {Name} in the {component} of {subject} before {version} allows {attacker} to {effect}.
|A vulnerability was found in {subject} up to {version}: the {component} can be used to {effect}.
|{subject} through {version} lets anyone {effect} {cause}.
short: {Name} in {product}.|{product} allows {Name}.|{Name} before {version}.
trace: [  412.{int6}] {function}+0x{hex2}/0x{hex3}
level: High|Medium|Low
phase: Architecture and Design|Implementation|Operation|Build and Compilation
scope: Confidentiality|Integrity|Availability|Access Control|Authorization
impact: Read Data|Modify Data|Execute Unauthorized Commands|Gain Privileges|Crash
method: Automated Static Analysis|Manual Review|Fuzzing|Black Box
act: Probing|Bending|Flooding|Replaying|Forging|Tracing|Staging|Luring`
    .replaceAll('\n|', '|')
    .split('\n')
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2).split('|')] as const),
)

/** Returns a word of a key. */
export const word = (key: string, random: Random): string => random.pick(WORDS[key]!)

type Values = Record<string, unknown>

/**
 * Fills a template: each `{key}` with a value, otherwise with a word of the key. A key with a capital letter gives a
 * capital letter. `{hex8}` gives as many hexadecimal digits, `{int4}` a number of as many digits.
 */
export function filled(template: string, random: Random, values: Values = {}): string {
  return joined(partsOf(template), random, values)
}

/** Texts and keys in turn. */
const partsOf = (template: string) => template.split(/\{(\w+)\}/)
const PARTS = new Map(
  Object.values(WORDS)
    .flat()
    .filter((text) => text.includes('{'))
    .map((text) => [text, partsOf(text)]),
)

function joined(parts: readonly string[], random: Random, values: Values): string {
  let text = parts[0]!
  for (let i = 1; i < parts.length; i += 2) {
    const key = parts[i]!
    const isCapital = key[0]! < 'a'
    const value = valueFor(isCapital ? key[0]!.toLowerCase() + key.slice(1) : key, random, values)
    text += (isCapital ? value[0]!.toUpperCase() + value.slice(1) : value) + parts[i + 1]
  }
  return text
}

function valueFor(key: string, random: Random, values: Values): string {
  const value = values[key]
  if (value !== undefined) return String(typeof value === 'function' ? value() : value)
  if (WORDS[key]) {
    const text = word(key, random)
    const parts = PARTS.get(text)
    return parts ? joined(parts, random, values) : text
  }
  const count = Number(key.slice(3))
  return key.startsWith('hex') ? random.hex(count) : String(random.between(10 ** (count - 1), 10 ** count - 1))
}

/** Returns the value of a JSON template. In it, `{key}` is a part of a text, and `$key` is any value. */
export function fromJson(template: string, random: Random, values: Values): Record<string, unknown> {
  const written = (text: string) => JSON.stringify(text).slice(1, -1)
  const json = template.replaceAll(/\$(\w+)|\{(\w+)\}/g, (_, value?: string, text?: string) =>
    value ? JSON.stringify(values[value]) : written(filled(`{${text}}`, random, values)),
  )
  return JSON.parse(json)
}

/** Weakness classes with their own name and effect for an attacker. */
const PHRASES = new Map(
  `20 Insufficient Input Checks: send values that the program never expects
22 Path Traversal: read files outside the intended folder
77 Command Injection: add commands of their own
78 OS Command Injection: run commands on the host
79 Stored Cross-Site Scripting: place script code that runs in the browser of other users
80 Basic Cross-Site Scripting: inject markup into a page
89 SQL Injection: change the query that is sent to the database
94 Code Injection: have code of their choice evaluated
119 Memory Bounds Error: touch memory beyond the buffer
120 Classic Buffer Overflow: overwrite neighbouring memory
121 Stack-based Buffer Overflow: overwrite the return address
122 Heap-based Buffer Overflow: corrupt objects on the heap
125 Out-of-bounds Read: read memory past the end of a buffer
190 Integer Overflow: make a size wrap around
200 Information Exposure: learn data that was meant to stay private
269 Improper Privilege Handling: gain rights that were never given
284 Improper Access Control: reach functions that should be closed
287 Authentication Bypass: pass as another user
306 Missing Authentication: call a critical function without signing in
352 Cross-Site Request Forgery: make a signed-in user send a request unknowingly
400 Resource Exhaustion: use up memory or processor time
416 Use After Free: use an object after it was released
434 Unrestricted File Upload: store a file of a dangerous type
476 NULL Pointer Dereference: crash the process
502 Unsafe Deserialization: have objects of their choice built from data
787 Out-of-bounds Write: write memory past the end of a buffer
862 Missing Authorization: act without the needed permission
918 Server-Side Request Forgery: make the server fetch an address of their choice`
    .split('\n')
    .map((line) => {
      const [, number, name, effect] = /^(\d+) (.*): (.*)$/.exec(line)!
      return [Number(number), { name: name!, effect: effect! }]
    }),
)
const FAULTS = ['Improper Handling of', 'Missing Check of', 'Incorrect Use of', 'Weak Protection of', 'Exposure of']
const OBJECTS =
  'Session Tokens|Symbolic Links|File Permissions|Temporary Files|Error Messages|Shared Resources|Signatures|Certificates|Default Values|Array Indexes|Encoded Input|Mixed Case|Timing|Nested References|Random Values|Locks|Credentials'.split(
    '|',
  )

/** Returns the name of a weakness, and what it lets an attacker do. */
export function weaknessPhrase(number: number): { name: string; effect: string } {
  // The lengths are coprime, so that close numbers have different names.
  const [fault, object] = [FAULTS[number % FAULTS.length], OBJECTS[number % OBJECTS.length]!]
  return PHRASES.get(number) ?? { name: `${fault} ${object}`, effect: `take advantage of ${object.toLowerCase()}` }
}

export function titleOf(facts: Facts, random: Random): string {
  const target = TITLE_LENGTH(random.float())
  if (facts.cna.kind === 'kernel') return kernelTitle(target, random)
  const { name, effect } = weaknessPhrase(facts.weakness)
  const component = random.chance(0.04) ? ' "{component}"' : ' {component}'
  const way = random.chance(0.1) ? ` via the '{parameter}' parameter` : ' via a crafted request'
  const function_ = random.chance(0.08) ? ' ({function})' : ''
  const pieces = [` in ${facts.product}`, component, function_, ` by ${facts.vendor.name}`, way]
  return growTo(target, random, [name, ...pieces, ` that lets an attacker ${effect}`, ' {cause}', ' {outcome}'])
}

function kernelTitle(target: number, random: Random): string {
  const area = word('area', random)
  const end = random.chance(0.4) ? ' when {function} fails' : ' on the error path'
  return growTo(target, random, [`${area.split('/').at(-1)}: {verb} {function}()`, end, ` of ${area}`])
}

/** Joins the first piece with as many of the next ones as approximate `target` characters, at most upstream's 256. */
function growTo(target: number, random: Random, [first, ...more]: string[]): string {
  let text = filled(first!, random)
  for (const piece of more) {
    const longer = text + filled(piece, random)
    if (longer.length > 256 || longer.length - target > target - text.length) break
    text = longer
  }
  return text
}

/** Adds sentences up to about `target` characters, at most `most`. */
export function extended(text: string, target: number, next: () => string, gap = ' ', most = 20_000): string {
  let grown = text
  while (grown.length < target - 42) {
    const longer = grown + gap + next()
    if (longer.length > most) break
    grown = longer
  }
  return grown
}

export function descriptionOf(facts: Facts, random: Random): string {
  const target = DESCRIPTION_LENGTH(random.float())
  const isKernel = facts.cna.kind === 'kernel'
  const lead = filled(target < 100 ? '{short}' : '{lead}', random, valuesOf(facts, random))
  const head = isKernel ? `The following flaw in the kernel has been resolved:\n\n${kernelTitle(70, random)}\n\n` : ''
  const first = head + lead + (random.chance(NON_ASCII) ? ` ${word('foreign', random)}` : '')
  return extended(first, target, () => sentenceOf(facts, random), isKernel || random.chance(0.18) ? '\n\n' : ' ', 3998)
}

function valuesOf(facts: Facts, random: Random) {
  const { vendor, product } = facts
  const range = () => {
    const from = releaseOf(random)
    const to = laterRelease(from, random)
    return `Versions from ${from.join('.')} to ${to.join('.')} have the flaw; ${laterRelease(to, random).join('.')} does not.`
  }
  const subject = facts.cna.kind === 'kernel' ? 'the kernel' : `${vendor.name} ${product}`
  const version = () => releaseOf(random).join('.')
  return { ...weaknessPhrase(facts.weakness), product, subject, version, range, date: dateOf(facts.reservedAt) }
}

/** Returns a sentence about a record. */
export const sentenceOf = (facts: Facts, random: Random) => filled('{sentence}', random, valuesOf(facts, random))

/** Returns a paragraph of fixes or workarounds with a realistic length. */
export function adviceOf(key: 'fix' | 'workaround', random: Random): string {
  return extended(word(key, random), SOLUTION_LENGTH(random.float()), () => word(key, random))
}

/** Returns `count` words of a key without repeats, or all if there are fewer. */
export function several(key: string, count: number, random: Random): string[] {
  const list = WORDS[key]!
  const start = random.int(list.length)
  return Array.from({ length: Math.min(count, list.length) }, (_, i) => list[(start + i) % list.length]!)
}
