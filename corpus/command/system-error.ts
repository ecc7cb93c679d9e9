/** Errors of the machine, not of the input: a full disk, missing permissions, a refused connection. */

/** Returns whether it is a system error (`ENOSPC`, `EACCES`). Its message is shown to the operator. */
export const isSystemError = (thrown: unknown): thrown is NodeJS.ErrnoException =>
  thrown instanceof Error && 'code' in thrown && /^E[A-Z]+$/.test(String(thrown.code))
