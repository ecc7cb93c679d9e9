/** Lines that are shorter than this end where their author wants. */
const WRAPPED = 60
const WRAP = new RegExp(`(?<=[^\\n]{${WRAPPED}})\\n(?!\\n|[-*•]|\\d+[.)])`, 'g')

/** Joins the lines of a text that is wrapped and indented as source code, such as descriptions of Metasploit. */
export const unwrap = (text: string): string => text.replace(/(?<![ \t])[ \t]+$|^[ \t]+/gm, '').replace(WRAP, ' ')
