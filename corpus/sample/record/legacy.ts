/** Builds `x_legacyV4Record`: the record in the format before CVE 5, which upstream keeps in older records. */
import type { Facts } from '../world.ts'
import type { CnaContainer } from './cna-container.ts'

export function legacyRecord(facts: Facts, container: CnaContainer): Record<string, unknown> {
  return {
    CVE_data_meta: { ASSIGNER: `cve@${facts.cna.shortName.replace('@', '')}.example`, ID: facts.id, STATE: 'PUBLIC' },
    data_format: 'MITRE',
    data_type: 'CVE',
    data_version: '4.0',
    affects: {
      vendor: {
        vendor_data: container.affected.slice(0, 5).map((entry) => ({
          vendor_name: entry.vendor,
          product: {
            product_data: [
              {
                product_name: entry.product,
                version: { version_data: (entry.versions ?? []).map(({ version }) => ({ version_value: version })) },
              },
            ],
          },
        })),
      },
    },
    description: { description_data: [{ lang: 'eng', value: container.descriptions[0]!.value }] },
    problemtype: { problemtype_data: [{ description: [{ lang: 'eng', value: 'n/a' }] }] },
    references: {
      reference_data: container.references.map(({ url, name }) => ({ name: name ?? url, refsource: 'MISC', url })),
    },
  }
}
