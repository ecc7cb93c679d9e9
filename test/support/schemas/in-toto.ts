/**
 * A JSON schema of in-toto statements v1, which has none. From `spec/v1` of github.com/in-toto/attestation: `statement.md`,
 * `resource_descriptor.md` and `digest_set.md`. Other keys are allowed there; we write none.
 */
const uri = { type: 'string', format: 'uri' }
const text = { type: 'string' }

/** Hexadecimal digits in lower case, as many as the algorithm has. */
const digest = (digits: number) => ({ type: 'string', pattern: `^[0-9a-f]{${digits}}$` })

export const IN_TOTO_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    _type: { const: 'https://in-toto.io/Statement/v1' },
    subject: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: {
          ...{ name: text, uri, downloadLocation: uri, mediaType: text, annotations: { type: 'object' } },
          content: { type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' },
          digest: {
            type: 'object',
            minProperties: 1,
            properties: { sha1: digest(40), sha256: digest(64), sha512: digest(128) },
            additionalProperties: text,
          },
        },
        required: ['digest'],
        additionalProperties: false,
      },
    },
    predicateType: uri,
    predicate: { type: 'object' },
  },
  required: ['_type', 'subject', 'predicateType'],
  additionalProperties: false,
}
