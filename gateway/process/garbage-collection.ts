/** Garbage collection of a process that answers requests. */
import { setFlagsFromString } from 'node:v8'

/** The first version of V8 with the option. */
const V8_MAJOR = 13

/**
 * Lets V8 collect garbage less often (test/bench/README.md, "Choices"). By default it starts a full collection whenever
 * a fixed amount of new buffers exists, several times a second under load, because every answer is a buffer. With the
 * option the amount grows with the buffers that are in use.
 */
export function collectLessOften(): void {
  if (Number.parseInt(process.versions.v8, 10) < V8_MAJOR) return
  setFlagsFromString('--external-memory-accounted-in-global-limit')
}
