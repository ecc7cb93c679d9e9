/** Garbage collection of a process that answers requests. */
import { setFlagsFromString } from 'node:v8'

/** The first version of V8 with the options. */
const V8_MAJOR = 14

/**
 * Lets V8 collect garbage less often (test/bench/README.md, "Choices"). By default it starts a full collection whenever
 * a fixed amount of new buffers exists, several times a second under load, because every answer is a buffer. With the
 * options, their amount may reach a tenth of the buffers in use.
 */
export function collectLessOften(): void {
  if (Number.parseInt(process.versions.v8, 10) < V8_MAJOR) return
  setFlagsFromString('--external-memory-accounted-in-global-limit')
  setFlagsFromString('--external-memory-max-growing-factor=1.1')
}
