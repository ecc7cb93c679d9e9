/** The thread of `measure.ts`. */
import { parentPort, workerData } from 'node:worker_threads'
import { growthOf, inputsOf } from './law.ts'
import type { Measured, SubjectGrowth } from './measure.ts'
import { stepCounter } from './steps.ts'
import type { OpenSubjects } from './subject.ts'

const { module, given } = workerData as Measured
const counter = stepCounter()
const { open } = (await import(module)) as { open: OpenSubjects }
const { subjects, close } = await open(...given)
const all: SubjectGrowth[] = []
for (const subject of subjects) {
  const growths = []
  for (const input of inputsOf(subject)) growths.push(await growthOf(input, subject.size, counter.steps))
  all.push({ subject: subject.name, growths })
}
await close?.()
parentPort!.postMessage(all)
