/** What the commands have in common: options that are environment variables too, and how a failure is told. */
import { CommanderError, Option } from 'commander'

/** An option that `VULNSHELF_<NAME>` sets as well: `--as-of` is `VULNSHELF_AS_OF`. */
export function option(flags: string, description: string): Option {
  const option = new Option(flags, description)
  return option.env(`VULNSHELF_${option.name().replaceAll('-', '_').toUpperCase()}`)
}

/** Errors that are told in one line: what they say is meant for the operator. */
const TOLD = ['BuildError', 'FeedError', 'IngestError', 'SampleError', 'SnapshotError', 'StoreError']

/** Tells an error on standard error and sets the exit code: 1, or 2 for wrong usage. */
export function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2
    return
  }
  process.exitCode = 1
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const told = TOLD.includes(name) || /^E[A-Z]+$/.test(code)
  process.stderr.write(`vulnshelf: ${told ? message.replaceAll('\n', ' ') : (stack ?? message)}\n`)
}
