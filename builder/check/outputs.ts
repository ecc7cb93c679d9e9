/** The formats of `--output`. */
export const OUTPUTS = ['table', 'json', 'sarif', 'junit', 'github', 'markdown', 'openvex'] as const
export type Output = (typeof OUTPUTS)[number]
