/** Trouble of the machine and not of what it was given: a full disk, a file that may not be read, a refused connection. */

/** Whether the system names the trouble: `ENOSPC`, `EACCES`. What it says is meant for the operator. */
export const isSystemError = (thrown: unknown): thrown is NodeJS.ErrnoException =>
  thrown instanceof Error && 'code' in thrown && /^E[A-Z]+$/.test(String(thrown.code))
