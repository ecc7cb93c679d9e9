/** The configuration file of a command (`--config <file>`): JSON with the long names of the options as keys. */
import { type Command, InvalidArgumentError, type Option } from 'commander'
import { readRegularFile } from '../runtime/regular-file.ts'
import { isSwitch, type ValueSchema, VariableOption } from './command-line.ts'
import { nearest } from './nearest.ts'

/** All options with values have 10 KB. */
const MAX_CONFIG_BYTES = 1 << 20

/** The key for editors, which is no option. */
const SCHEMA_KEY = '$schema'

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: 'a list of texts',
  boolean: 'true or false',
  integer: 'a whole number',
  string: 'a text',
}

/**
 * Sets each option of the file that neither the command line nor an environment variable sets. The keys are the options
 * with an environment variable. Values go through the parsers of the options.
 * @returns all faults, each with the file, the key and the remedy; never a value, because it can be a secret
 */
export function applyConfigFile(command: Command, file: string): string[] {
  const entries = readEntries(file)
  if (typeof entries === 'string') return [`${file}: ${entries}`]
  const options = new Map(configurable(command).map((option) => [option.name(), option]))
  const faults: string[] = []
  for (const [key, value] of entries) {
    if (key === SCHEMA_KEY) continue
    const option = options.get(key)
    const fault = option === undefined ? unknownKey(key, options) : applyValue(command, option, value)
    if (fault !== null) faults.push(`${file}: ${fault}`)
  }
  return faults
}

/** Returns the JSON schema of the configuration file of a command. */
export function configSchema(command: Command): object {
  const properties = configurable(command).map((option) => {
    const { description, defaultValue, defaultValueDescription } = option
    // A default with a description, such as the number of cores, is no value of the file.
    const isStated = defaultValue !== undefined && defaultValueDescription === undefined
    return [option.name(), { description, ...schemaOf(option), ...(isStated ? { default: defaultValue } : {}) }]
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Configuration of ${command.parent!.name()} ${command.name()}`,
    type: 'object',
    properties: { [SCHEMA_KEY]: { type: 'string' }, ...Object.fromEntries(properties) },
    additionalProperties: false,
  }
}

const configurable = ({ options }: Command) => options.filter((option) => option instanceof VariableOption)

/** Returns the entries of the file, or the reason why there are none. */
function readEntries(file: string): [string, unknown][] | string {
  let text: string
  try {
    text = readRegularFile(file, MAX_CONFIG_BYTES).toString()
  } catch (error) {
    return `cannot read the configuration file (${(error as Error).message}). Correct --config`
  }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value)
  } catch (error) {
    // Some messages of V8 quote the file, which can contain a password.
    return `the file is not JSON (${(error as Error).message.replace(/, (?:\.{3})?".*$/s, '')}). Correct its syntax`
  }
  return 'the file is not a JSON object. Write {"<option>": <value>, …}'
}

function unknownKey(key: string, options: ReadonlyMap<string, Option>): string {
  const meant = options.has(`no-${key}`) ? `no-${key}` : nearest(key, [...options.keys()])
  const remedy = meant === null ? 'Use the long name of an option, without dashes' : `Did you mean '${meant}'?`
  return `unknown key '${key}'. ${remedy}`
}

/** Returns the fault of the value, or null. */
function applyValue(command: Command, option: VariableOption, value: unknown): string | null {
  const types = [schemaOf(option).type].flat()
  const isText = (item: unknown) => typeof item === 'string'
  if (!types.includes(typeOf(value)) || (Array.isArray(value) && !value.every(isText))) {
    return `'${option.name()}' has the wrong type. It must be ${types.map((type) => TYPE_NAMES[type]).join(' or ')}`
  }
  // A switch that is off is as if it was not given.
  if (value === false) return null
  const name = option.attributeName()
  try {
    const parsed = isSwitch(option) ? !option.negate : parse(option, String(value))
    const source = command.getOptionValueSource(name)
    const isSet = source === 'cli' || source === 'env' || option.isOffByVariable
    if (!isSet) command.setOptionValueWithSource(name, parsed, 'config')
    return null
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error
    return `'${option.name()}' is invalid. ${error.message.replace(/\.$/, '')}`
  }
}

const parse = ({ parseArg }: Option, text: string): unknown =>
  parseArg === undefined ? text : parseArg(text, undefined)

const typeOf = (value: unknown) =>
  Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : value === null ? 'null' : typeof value

/** Returns the schema of the values of an option. */
function schemaOf(option: Option): ValueSchema {
  if (isSwitch(option)) return { type: 'boolean' }
  if (option.argChoices !== undefined) return { type: 'string', enum: option.argChoices }
  const { parseArg } = option
  return parseArg !== undefined && 'schema' in parseArg ? (parseArg.schema as ValueSchema) : { type: 'string' }
}
