/** The text of the watch list in this browser. Apart, because the start page reads it before it loads anything else. */
import { kept } from '../data/kept.ts'

export const watchText = kept(() => localStorage, 'vulnshelf.watch')
