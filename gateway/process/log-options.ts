/** The options of the log. */

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export const LOG_FORMATS = ['json', 'text'] as const

export interface LogOptions {
  /** The lowest level that is written. Lines of requests have the level `info`. */
  level: (typeof LOG_LEVELS)[number]
  format: (typeof LOG_FORMATS)[number]
}
