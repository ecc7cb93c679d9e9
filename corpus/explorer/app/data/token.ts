/** The token of this tab, or null. The browser forgets it when the tab is closed. */
import { kept } from './kept.ts'

export const token = kept(() => sessionStorage, 'vulnshelf.token')
