/** The version order of RubyGems (`Gem::Version`, "How Sections are compared"). */
import { compareLists, compareParts, isNumber, plainNumber, type VersionOrder } from './order.ts'

/** `Gem::Version::VERSION_PATTERN`, and a letter after a digit (`1beta`), which old gems have. */
const FORM = /^\d[0-9A-Za-z]*(?:\.[0-9A-Za-z]+)*(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/

/**
 * The platform of a compiled gem follows its version (`Gem::Platform`): `-x86_64-linux-gnu`, `-arm64-darwin-23`, `-java`.
 * It is not a part of the version.
 */
const PLATFORM =
  /^-(?:(?:universal|x86(?:_64)?|x64|i[3-6]86|aarch64|arm\w*|ppc\w*|powerpc\w*|riscv64|s390x?|mips\w*|sparc\w*|loongarch64|wasm32)-[a-z]\w*(?:[.-]\w+)*|java|jruby|dalvik|mswin\d*(?:-\d+)?|mingw\d*)$/
/** Characters of the longest platform. Each hyphen may begin one, so that longer ones would take their square. */
const LONGEST_PLATFORM = 128

function withoutPlatform(text: string): string {
  const start = Math.max(0, text.length - LONGEST_PLATFORM)
  for (let at = text.indexOf('-', start); at !== -1; at = text.indexOf('-', at + 1)) {
    if (PLATFORM.test(text.slice(at))) return text.slice(0, at)
  }
  return text
}

/** Texts precede numbers. A hyphen means `.pre.`. Zeros before the first text do not count, nor do those at the end. */
export const rubygems: VersionOrder<string[]> = {
  parse(text) {
    const version = withoutPlatform(text.trim())
    if (!FORM.test(version)) return null
    const segments = version
      .replaceAll('-', '.pre.')
      .match(/\d+|[A-Za-z]+/g)!
      .map((part) => (isNumber(part) ? plainNumber(part) : part))
    const firstText = segments.findIndex((part) => !isNumber(part))
    const numbers = firstText < 0 ? segments : segments.slice(0, firstText)
    while (numbers.at(-1) === '0') numbers.pop()
    return firstText < 0 ? numbers : [...numbers, ...segments.slice(firstText)]
  },
  compare: (a, b) => compareLists(a, b, compareParts, '0'),
}
