/** Garbage collection of a process that answers requests. */
import { setFlagsFromString } from 'node:v8'

/** The version of V8 with the options, in Node 25 and 26. It would report unknown ones at every start. */
const V8_MAJOR = 14

/**
 * Reduces the number of full garbage collections (test/bench/README.md, "Choices"): each interrupts the answers for
 * several ms. By default, V8 starts one after a fixed amount of new buffers, and each answer is a buffer. With these
 * options, it waits until new buffers take a tenth of the memory of those in use, or the other objects take four times
 * the memory that the last collection left. Has no effect with other versions of V8.
 */
export function collectLessOften(): void {
  if (Number.parseInt(process.versions.v8, 10) !== V8_MAJOR) return
  setFlagsFromString('--external-memory-accounted-in-global-limit')
  setFlagsFromString('--external-memory-max-growing-factor=1.1')
  setFlagsFromString('--heap-growing-percent=300')
}
