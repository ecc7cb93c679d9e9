/** Random versions: fragments of real ones in any combination, so that many are equal, close, or no versions. */
import fc from 'fast-check'

const NUMBERS = ['0', '1', '2', '9', '10', '01', '00', '20240131', '99999999999999999999']

/** Fragments between or after numbers. Most are part of valid versions. */
const FRAGMENTS: Record<string, string[]> = {
  npm: ['.', '.', '.', '-', '-alpha', '-rc', '.1', 'a', '-0', '+b'],
  NuGet: ['.', '.', '-', '-Alpha', '-alpha', '+B', '.1'],
  Pub: ['.', '.', '-', '-a', '+', '+a', '.1'],
  PyPI: ['.', '.', 'a', 'b', 'rc', '.dev', '.post', '-', '!', '+', '_', 'C', '-preview', '+a', 'x'],
  Maven: ['.', '.', '-', '-', 'a', 'b', '-alpha', '.Final', '-SNAPSHOT', 'rc', 'CR', '-ga', 'sp', '.x', '_'],
  RubyGems: ['.', '.', '.a', '.b', '.rc', '-', 'a', '.pre', '.A'],
  Packagist: ['.', '.', '-', '-beta', 'RC', '-alpha.', 'a', 'b', 'pl', '-dev', '-patch', '_', '.x-dev', '+b', 'v'],
  Debian: ['.', '.', '-', '~', '+', '~rc', 'a', 'B', ':', '+deb12u'],
  Alpine: ['.', '.', 'a', '_alpha', '_rc', '_p', '_git', '-r', '-', 'B', '_pre'],
  'Red Hat': ['.', '.', '-', '~', '^', 'a', 'B', '.el', '_', '+', ':'],
  CRAN: ['.', '-'],
  Hackage: ['.'],
}

/** A version of npm has three numbers. */
const BEGINNINGS: Record<string, string[]> = { npm: ['', '0.1.', '1.0.', '1.0.'] }

export const ECOSYSTEMS = Object.keys(FRAGMENTS)

/** Versions of an ecosystem; most are valid. */
export function versionText(ecosystem: string): fc.Arbitrary<string> {
  const number = fc.oneof({ weight: 4, arbitrary: fc.constantFrom('0', '1', '2') }, fc.constantFrom(...NUMBERS))
  const rest = fc.array(fc.tuple(fc.constantFrom(...FRAGMENTS[ecosystem]!), fc.option(number, { nil: '', freq: 8 })), {
    maxLength: 5,
  })
  const beginning = fc.constantFrom(...(BEGINNINGS[ecosystem] ?? ['']))
  return fc.tuple(beginning, number, rest).map((parts) => parts.flat(2).join(''))
}
