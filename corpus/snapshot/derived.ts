/** The part of the public face that loads SQLite and threads: derived files, the search database, verification. */
export {
  type DerivedFile,
  type DeriveInput,
  deriveFiles,
  deriveTasks,
  type TemporaryFile,
} from './derive/derive.ts'
export { rederive } from './derive/rederive.ts'
export { countDerived } from './files/kinds.ts'
export { openQueryFile, searchRunner } from './query/native.ts'
export { type VerifyReport, verify } from './verify/verify.ts'
