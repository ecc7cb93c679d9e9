/** The levels of `--fail-on`, lowest first. With `none`, no finding fails. */
export const FAIL_LEVELS = ['low', 'medium', 'high', 'critical', 'none'] as const
export type FailLevel = (typeof FAIL_LEVELS)[number]
