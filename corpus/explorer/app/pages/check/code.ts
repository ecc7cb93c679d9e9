/** What the check page needs from the first file on. It is loaded together. */
export { resultOf, withEntry, withFiles } from './decided.ts'
export { DecisionList } from './decisions.tsx'
export { readInWorker } from './read.ts'
export { Results } from './results.tsx'
export { checkFiles, readFiles, unknownIdsOf } from './run.ts'
