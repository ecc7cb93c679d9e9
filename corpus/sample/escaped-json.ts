/** JSON as PHP's writer prints it, which two feeds use: indented by four, slashes and all beyond ASCII escaped. */
export function escapedJson(value: unknown): string {
  return JSON.stringify(value, null, 4)
    .replaceAll('/', '\\/')
    .replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
