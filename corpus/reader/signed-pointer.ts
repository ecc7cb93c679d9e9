/** Verifies the signature of a pointer. A module of its own: without keys, a page in a browser does not load it. */
export { openSigned } from '../snapshot/index.ts'
