/** Formats JSON as PHP does, for two feeds: indented by four, with slashes and non-ASCII characters escaped. */
export function escapedJson(value: unknown): string {
  return JSON.stringify(value, null, 4)
    .replaceAll('/', '\\/')
    .replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
