/** Names of packages and products, as the API expects and feeds state them. */

/** Returns the value of the filter `product`: API 9.23. */
export const productFilter = (vendor: string, product: string): string =>
  [vendor, product].map((key) => key.replaceAll('/', '%2F')).join('/')

/** Returns the path of the page of a package. Its ecosystem has no release: `Debian` for `Debian:12`. */
export const packagePath = (ecosystem: string, name: string): string[] => [
  'packages',
  ecosystem.split(':', 1)[0]!,
  name,
]

/** Returns the CPE name of a version of a product. Keys are not always those of NVD's dictionary. */
export const cpeName = (vendor: string, product: string, version: string): string =>
  `cpe:2.3:*:${cpeText(vendor)}:${cpeText(product)}:${cpeText(version)}:*:*:*:*:*:*:*`

/** NISTIR 7695, 6.2.2.1: other characters than letters, digits, `_`, `-` and `.` are quoted. */
const cpeText = (text: string): string => text.replace(/[^A-Za-z0-9_.-]/g, (character) => `\\${character}`)

/** Returns the parameter that the text is: a CPE name begins with `cpe:`. */
export const questionOf = (text: string): { purl: string } | { cpe: string } =>
  /^\s*cpe:/i.test(text) ? { cpe: text.trim() } : { purl: text.trim() }

/** Returns whether a query is exactly the name of a package or product. */
export function isNamedBy(query: string, { type, id, label }: { type: string; id: string; label: string }): boolean {
  const name = query.toLowerCase()
  const isNamed = [label, id].some((text) => text.toLowerCase() === name) || id.toLowerCase().endsWith(`/${name}`)
  return (type === 'package' || type === 'product') && isNamed
}
