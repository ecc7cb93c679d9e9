/** Validates documents by the JSON schemas of their standards. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnySchemaObject, ValidateFunction } from 'ajv'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import Draft4 from 'ajv-draft-04'
import formats from 'ajv-formats'
import * as assert from 'uvu/assert'
import { IN_TOTO_SCHEMA } from './in-toto.ts'
import { OPENVEX_SCHEMA } from './openvex.ts'

const STANDARDS = ['SARIF 2.1.0', 'OpenVEX 0.2.0', 'in-toto v1', 'CycloneDX 1.5', 'CycloneDX 1.6'] as const
export type Standard = (typeof STANDARDS)[number]

/** The packages do not export their schemas. */
const schemaIn = (path: string): AnySchemaObject =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../node_modules', path), 'utf8'))

const cycloneDxSchema = (name: string) =>
  schemaIn(`@cyclonedx/cyclonedx-library/res/schema/${name}.SNAPSHOT.schema.json`)

/** Schemas have keywords for editors. */
const OPTIONS = { strict: false, allErrors: true }

/** SARIF's schema has a pattern that is no regular expression with the flag `u`. */
const SARIF_OPTIONS = { ...OPTIONS, unicodeRegExp: false }

function compile(standard: Standard): ValidateFunction {
  switch (standard) {
    case 'SARIF 2.1.0':
      return formats
        .default(new Draft4.default(SARIF_OPTIONS))
        .compile(schemaIn('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json'))
    case 'OpenVEX 0.2.0':
      return formats.default(new Ajv2020(OPTIONS)).compile(OPENVEX_SCHEMA)
    case 'in-toto v1':
      return formats.default(new Ajv2020(OPTIONS)).compile(IN_TOTO_SCHEMA)
    default: {
      const ajv = formats.default(new Ajv(OPTIONS))
      ajv.addFormat('iri-reference', (value: string) => URL.canParse(value, 'https://example.com/'))
      ajv.addFormat('idn-email', /^[^@\s]+@[^@\s]+$/)
      for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs']) {
        const { $id: _, ...schema } = cycloneDxSchema(name)
        ajv.addSchema(schema, `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`)
      }
      return ajv.compile(cycloneDxSchema(`bom-${standard.split(' ')[1]}`))
    }
  }
}

const compiled = new Map<Standard, ValidateFunction>()

/** Returns what the schema forbids in a document, with the place of each fault. */
export function schemaFaults(standard: Standard, document: unknown): string[] {
  const validate = compiled.get(standard) ?? compile(standard)
  compiled.set(standard, validate)
  // JSON has no keys that are undefined.
  if (validate(JSON.parse(JSON.stringify(document)))) return []
  return validate.errors!.map(
    ({ instancePath, message, params }) => `${instancePath}: ${message} ${JSON.stringify(params)}`,
  )
}

export const assertStandard = (standard: Standard, document: unknown): void =>
  assert.equal(schemaFaults(standard, document), [], standard)
