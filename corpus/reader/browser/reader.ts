/** `vulnshelf/reader` in a browser. */

export { readTrustedKeys } from '../../snapshot/index.ts'
export * from '../public.ts'
export { openReader, type ReaderOptions } from './open-reader.ts'
