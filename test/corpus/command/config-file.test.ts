/** The configuration file of a command, and its schema. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { commandLine, valueParser, wholeNumber } from '../../../corpus/command/command-line.ts'
import { applyConfigFile, configSchema } from '../../../corpus/command/config-file.ts'
import { temporaryFolder } from '../../support/dist.ts'

const folder = temporaryFolder('config')
const file = join(folder.path, 'serve.json')

const list = valueParser({ type: ['array', 'string'], items: { type: 'string' } }, (text) => text.split(','))
const even = (text: string) => {
  if (Number(text) % 2 !== 0) throw new InvalidArgumentError('It must be even.')
  return Number(text)
}

/** Returns a parsed command with options of every type. */
function parsed(words: readonly string[] = [], env: Record<string, string> = {}) {
  Object.assign(process.env, env)
  try {
    const { program, option } = commandLine('tool')
    const command = program
      .command('serve')
      .addOption(option('--host <host>', 'address').default('127.0.0.1'))
      .addOption(option('--rate-limit <n>', 'requests').argParser(wholeNumber(1, 1000)).default(600))
      .addOption(option('--origins <list>', 'origins').argParser(list))
      .addOption(option('--size <bytes>', 'size').argParser(even).default(2, 'a pair'))
      .addOption(option('--level <level>', 'level').choices(['low', 'high']).default('low'))
      .addOption(option('--no-preview', 'no preview'))
      .addOption(option('--derive', 'derive'))
      .addOption(new Option('--config <file>', 'configuration'))
      .action(() => {})
    program.parse(['serve', ...words], { from: 'user' })
    return command
  } finally {
    for (const name of Object.keys(env)) delete process.env[name]
  }
}

const DEFAULTS = { host: '127.0.0.1', rateLimit: 600, size: 2, level: 'low', preview: true }

/** Writes the file and applies it. Returns the faults, without the name of the file, and the values. */
function apply(config: unknown, words?: readonly string[], env?: Record<string, string>) {
  writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config))
  const command = parsed(words, env)
  const faults = applyConfigFile(command, file)
  for (const fault of faults) assert.ok(fault.startsWith(`${file}: `), fault)
  return { command, values: command.opts(), faults: faults.map((fault) => fault.slice(file.length + 2)) }
}

test('a value of the file replaces a default, through the parser of its option', () => {
  const { command, values, faults } = apply({
    $schema: './schema.json',
    host: '0.0.0.0',
    'rate-limit': 700,
    origins: ['https://a', 'https://b'],
    size: '4',
    level: 'high',
    'no-preview': true,
    derive: true,
  })
  assert.equal(faults, [])
  assert.equal(values, {
    host: '0.0.0.0',
    rateLimit: 700,
    origins: ['https://a', 'https://b'],
    size: 4,
    level: 'high',
    preview: false,
    derive: true,
  })
  for (const name of Object.keys(values)) assert.is(command.getOptionValueSource(name), 'config', name)
})

test('a list can be a text; switches that are false are off', () => {
  const { command, values, faults } = apply({ origins: 'https://a,https://b', 'no-preview': false, derive: false })
  assert.equal(faults, [])
  assert.equal(values, { ...DEFAULTS, origins: ['https://a', 'https://b'] })
  assert.is(command.getOptionValueSource('derive'), undefined)
})

test('options override variables, and variables override the file', () => {
  const config = { host: 'file', 'rate-limit': 1, level: 'high', derive: true }
  const env = { VULNSHELF_HOST: 'variable', VULNSHELF_RATE_LIMIT: '2', VULNSHELF_LEVEL: '' }
  const { values, faults } = apply(config, ['--host', 'option'], env)
  assert.equal(faults, [])
  assert.equal(values, { ...DEFAULTS, host: 'option', rateLimit: 2, level: 'high', derive: true })
})

test('a variable that turns a switch off overrides the file', () => {
  const config = { 'no-preview': true, derive: true }
  for (const off of ['false', '0']) {
    const { values } = apply(config, [], { VULNSHELF_NO_PREVIEW: off, VULNSHELF_DERIVE: off })
    assert.is(values.preview, true)
    assert.is(values.derive, undefined)
  }
  assert.is(apply(config, [], { VULNSHELF_NO_PREVIEW: '' }).values.preview, false)
})

test('every fault is reported, with the key and the remedy, without the value; good keys apply', () => {
  const { values, faults } = apply({
    rateLimit: 5,
    'rate-limit': '700',
    preview: false,
    frobnicate: 'hunter2',
    host: 5,
    origins: ['https://a', 7],
    size: '3',
    level: 'loud',
    'no-preview': 'yes',
    derive: null,
    config: 'other.json',
  })
  assert.equal(faults, [
    "unknown key 'rateLimit'. Did you mean 'rate-limit'?",
    "'rate-limit' has the wrong type. It must be a whole number",
    "unknown key 'preview'. Did you mean 'no-preview'?",
    "unknown key 'frobnicate'. Use the long name of an option, without dashes",
    "'host' has the wrong type. It must be a text",
    "'origins' has the wrong type. It must be a list of texts or a text",
    "'size' is invalid. It must be even",
    "'level' is invalid. Allowed choices are low, high",
    "'no-preview' has the wrong type. It must be true or false",
    "'derive' has the wrong type. It must be true or false",
    "unknown key 'config'. Use the long name of an option, without dashes",
  ])
  assert.equal(values, DEFAULTS)
  const bounds = apply({ 'rate-limit': 1001, host: 'ours' })
  assert.equal(bounds.faults, ["'rate-limit' is invalid. It must be a whole number from 1 to 1000"])
  assert.is(bounds.values.host, 'ours')
  assert.match(apply({ 'rate-limit': 1.5 }).faults[0]!, /whole number$/)
})

test('a file that is missing, no JSON or no object is reported, without its text', () => {
  for (const text of ['{"host": "hunter2", x}', '{"host": hunter2}', '"hunter2', 'hunter2', '']) {
    const { faults } = apply(text)
    assert.is(faults.length, 1)
    assert.match(faults[0]!, /^the file is not JSON \(.+\)\. Correct its syntax$/, text)
    assert.not.match(faults[0]!, /hunter2/)
  }
  for (const value of [[], null, 'x', 5])
    assert.match(apply(JSON.stringify(value)).faults[0]!, /^the file is not a JSON object\. Write /)
  rmSync(file)
  assert.match(
    applyConfigFile(parsed(), file)[0]!,
    /: cannot read the configuration file \(ENOENT.*\)\. Correct --config$/,
  )
})

test('keys of Object.prototype are unknown keys', () => {
  const { faults } = apply('{"__proto__": {"host": "x"}, "constructor": true, "toString": true}')
  assert.is(faults.length, 3)
  for (const fault of faults) assert.match(fault, /^unknown key /)
})

test('the schema accepts what the file may contain, and nothing else', () => {
  const schema = configSchema(parsed()) as { properties: Record<string, { default?: unknown }> }
  const accepts = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])
  for (const [config, isGood] of [
    [{ $schema: 'x', host: 'a', 'rate-limit': 7, origins: ['a'], level: 'low', 'no-preview': true }, true],
    [{ origins: 'a,b' }, true],
    [{}, true],
    [{ 'rate-limit': '7' }, false],
    [{ 'rate-limit': 0 }, false],
    [{ 'rate-limit': 1001 }, false],
    [{ host: 1 }, false],
    [{ origins: [1] }, false],
    [{ level: 'loud' }, false],
    [{ 'no-preview': 'yes' }, false],
    [{ rateLimit: 7 }, false],
    [{ config: 'x' }, false],
  ] as const) {
    const text = JSON.stringify(config)
    assert.is(accepts.safeParse(config).success, isGood, text)
    assert.is(apply(text).faults.length === 0, isGood, text)
  }
  assert.equal(
    Object.entries(schema.properties).map(([name, { default: value }]) => [name, value]),
    [
      ['$schema', undefined],
      ['host', '127.0.0.1'],
      ['rate-limit', 600],
      ['origins', undefined],
      ['size', undefined],
      ['level', 'low'],
      ['no-preview', undefined],
      ['derive', undefined],
    ],
  )
})

test.after(folder.remove)
test.run()
