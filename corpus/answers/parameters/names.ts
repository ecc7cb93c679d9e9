/** Filters that name a vendor, a product or a package. An unknown name matches nothing (rule 4). */
import { MAX_NAME_LENGTH } from '../../model/affected/products.ts'
import { PACKAGE_FORM, packageKey, splitPackage } from '../../model/packages/name.ts'
import { PRODUCT_FORM, readProduct, readVendor } from '../../snapshot/index.ts'
import { ecosystemOf, packageText } from './package.ts'
import { type ParameterType, parameterType, refuse } from './parameter.ts'
import { text } from './parameter-types.ts'

/** The value is the key. */
export function vendor(): ParameterType<string, 'optional'> {
  const bounded = text({ max: MAX_NAME_LENGTH })
  return parameterType(bounded.schema, (value, name) => readVendor(bounded.read(value, name))!)
}

/** `<vendor>/<product>`; the value has the keys of both. */
export function product(): ParameterType<string, 'optional'> {
  const bounded = text({ max: 2 * MAX_NAME_LENGTH + 1 })
  const schema = { ...bounded.schema, pattern: '^[^/]+/', examples: ['microsoft/windows_10'] }
  const read = (value: string, name: string) => {
    const key = readProduct(bounded.read(value, name))
    if (key === null) throw refuse(name, value, PRODUCT_FORM)
    return key
  }
  return { ...parameterType(schema, read), keepsSlashes: true }
}

export interface NamedPackage {
  ecosystem: string
  name: string
}

/** `<ecosystem>/<name>`. The snapshot decides whether the ecosystem is known, so the handler calls `packageKeyOf`. */
export function packageName(): ParameterType<NamedPackage, 'optional'> {
  const bounded = text({ max: MAX_NAME_LENGTH })
  const schema = { ...bounded.schema, pattern: '^[^/]+/.', examples: ['npm/lodash'] }
  return parameterType(schema, (value, name) => {
    const named = splitPackage(bounded.read(value, name))
    if (named === null) throw refuse(name, value, PACKAGE_FORM)
    packageText().read(named.name, name)
    return named
  })
}

/**
 * Returns the key of a package. Accepts the ecosystems of the schema and `more`.
 * @throws ApiError `invalid_parameter` for an unknown ecosystem
 */
export function packageKeyOf(parameter: string, { ecosystem, name }: NamedPackage, more: readonly string[]): string {
  return packageKey(ecosystemOf(ecosystem, more, { suffixed: false, parameter }), name)
}
