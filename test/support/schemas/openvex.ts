/**
 * The JSON schema of OpenVEX 0.2.0, in our own words: required keys, values of lists, and that no other key is allowed. From
 * `openvex_json_schema.json` of github.com/openvex/spec.
 */
const uri = { type: 'string', format: 'uri' }
const time = { type: 'string', format: 'date-time' }
const text = { type: 'string' }
const count = { type: 'integer', minimum: 1 }
const listOf = (items: object) => ({ type: 'array', uniqueItems: true, items })
const objectOf = (properties: object, ...required: string[]) => ({
  ...{ type: 'object', additionalProperties: false, properties },
  required,
})
const mapOf = (...names: string[]) => objectOf(Object.fromEntries(names.map((name) => [name, text])))

const SUBJECT = {
  '@id': uri,
  identifiers: mapOf('purl', '@cpe22', '@cpe23'),
  hashes: mapOf(
    ...['md5', 'sha1', 'sha-256', 'sha-384', 'sha-512', 'sha3-224', 'sha3-256', 'sha3-384', 'sha3-512'],
    ...['blake2s-256', 'blake2b-256', 'blake2b-512'],
  ),
}

/** A statement with a status has these keys too. */
const whenStatus = (status: string, then: object) => ({ if: { properties: { status: { const: status } } }, then })

const STATEMENT = {
  ...objectOf(
    {
      ...{ '@id': uri, version: count, timestamp: time, last_updated: time, supplier: text, status_notes: text },
      vulnerability: objectOf({ '@id': uri, name: text, description: text, aliases: listOf(text) }, 'name'),
      products: listOf(objectOf({ ...SUBJECT, subcomponents: listOf(objectOf(SUBJECT)) })),
      status: { enum: ['not_affected', 'affected', 'fixed', 'under_investigation'] },
      justification: {
        enum: [
          ...['component_not_present', 'vulnerable_code_not_present', 'vulnerable_code_not_in_execute_path'],
          ...['vulnerable_code_cannot_be_controlled_by_adversary', 'inline_mitigations_already_exist'],
        ],
      },
      ...{ impact_statement: text, action_statement: text, action_statement_timestamp: time },
    },
    ...['vulnerability', 'status'],
  ),
  allOf: [
    whenStatus('not_affected', { oneOf: [{ required: ['justification'] }, { required: ['impact_statement'] }] }),
    whenStatus('affected', { required: ['action_statement'] }),
  ],
}

export const OPENVEX_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...objectOf(
    {
      // The specification, "Documents": the namespace with the version.
      '@context': { const: 'https://openvex.dev/ns/v0.2.0' },
      ...{ '@id': uri, author: text, role: text, timestamp: time, last_updated: time, version: count, tooling: text },
      statements: { ...listOf(STATEMENT), minItems: 1 },
    },
    ...['@context', '@id', 'author', 'timestamp', 'version', 'statements'],
  ),
}
