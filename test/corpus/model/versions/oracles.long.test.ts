/**
 * Random versions, compared with the ecosystem's own implementation where it is installed. Each reads pairs, separated
 * by a tab, and writes a number per line: negative, 0 or positive; or `?` if it rejects one of the two versions.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { comparatorOf } from '../../../../corpus/model/versions/comparator.ts'
import { MAVEN_JAR, type Need, suiteNeeding } from '../../../support/needs.ts'
import { versionText } from './arbitrary.ts'

/** `VULNSHELF_TEST_PAIRS=1000000 tsx …` compares more, `FC_SEED=7` others. */
const PAIRS = Number(process.env.VULNSHELF_TEST_PAIRS ?? 100_000)
const SEED = Number(process.env.FC_SEED ?? 20_240_601)
const TIMEOUT_MS = 300_000

const PYTHON = `
import sys
from packaging.version import Version, InvalidVersion
for line in sys.stdin:
    try:
        a, b = map(Version, line.rstrip("\\n").split("\\t"))
        print((a > b) - (a < b))
    except InvalidVersion:
        print("?")
`

const PERL = `
use Dpkg::Version;
while (<STDIN>) {
  chomp;
  my ($a, $b) = map { Dpkg::Version->new($_, check => 1) } split /\\t/;
  print defined $a && defined $b ? $a <=> $b : "?", "\\n";
}
`

const RUBY = `
STDIN.each_line(chomp: true) do |line|
  pair = line.split("\\t")
  puts pair.all? { |one| Gem::Version.correct?(one) } ? Gem::Version.new(pair[0]) <=> Gem::Version.new(pair[1]) : "?"
end
`

const RPM = `%{lua: for line in io.lines() do
  local a, b = line:match("(.*)\\t(.*)")
  io.write(rpm.vercmp(a, b), "\\n")
end}`

const PHP = `
require "Composer/Semver/autoload.php";
$parser = new Composer\\Semver\\VersionParser;
while (($line = fgets(STDIN)) !== false) {
  try {
    [$a, $b] = array_map([$parser, "normalize"], explode("\\t", rtrim($line, "\\n")));
    echo version_compare($a, $b), "\\n";
  } catch (UnexpectedValueException $error) {
    echo "?\\n";
  }
}
`

const PHP_TEXT = `
while (($line = fgets(STDIN)) !== false) echo version_compare(...explode("\\t", rtrim($line, "\\n"))), "\\n";
`

const JAVA = `
import java.io.*;
import org.apache.maven.artifact.versioning.ComparableVersion;
public class Compare {
  public static void main(String[] arguments) throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    StringBuilder out = new StringBuilder();
    for (String line; (line = in.readLine()) != null; ) {
      String[] pair = line.split("\\t");
      out.append(new ComparableVersion(pair[0]).compareTo(new ComparableVersion(pair[1]))).append('\\n');
    }
    System.out.print(out);
  }
}
`

const NODE = `
const semver = require("semver")
const compare = (a, b) => semver.valid(a) && semver.valid(b) ? semver.compare(a, b) : "?"
const pairs = require("node:fs").readFileSync(0, "utf8").trimEnd().split("\\n")
console.log(pairs.map((pair) => compare(...pair.split("\\t"))).join("\\n"))
`

interface Oracle {
  ecosystem: string
  need: Need
  program: string
  /** Given the folder of the script file. */
  parameters: (folder: string) => string[]
  /** Written to the folder. */
  file?: [name: string, text: string]
  /** Versions outside the comparison. */
  ignores?: RegExp
  /** Compares the keys of `parse`, not those of ranges. */
  isText?: boolean
}

const ORACLES: Oracle[] = [
  { ecosystem: 'PyPI', need: "python3's packaging", program: 'python3', parameters: () => ['-c', PYTHON] },
  {
    ecosystem: 'Debian',
    need: "dpkg's Perl library",
    program: 'perl',
    parameters: () => ['-e', PERL],
    // The library accepts other epochs, empty parts and colons in revisions; `dpkg` does not.
    ignores: /:(?!\d)|^\d*[^\d:].*:|-[^-]*:[^-]*$|-$/,
  },
  // RubyGems rejects `1beta`, which old gems have.
  { ecosystem: 'RubyGems', need: 'ruby', program: 'ruby', parameters: () => ['-e', RUBY] },
  { ecosystem: 'Red Hat', need: 'rpm', program: 'rpm', parameters: () => ['--eval', RPM] },
  { ecosystem: 'Packagist', need: "PHP's composer/semver", program: 'php', parameters: () => ['-r', PHP] },
  {
    ecosystem: 'Packagist',
    need: "PHP's composer/semver",
    program: 'php',
    parameters: () => ['-r', PHP_TEXT],
    // In PHP `v` is a name, a separator at the end adds an empty part, and numbers beyond 2^63 are equal.
    ignores: /v|[._+-]$|\d{19}/,
    isText: true,
  },
  {
    ecosystem: 'Maven',
    need: 'Java and Maven',
    program: 'java',
    parameters: (folder) => ['-cp', MAVEN_JAR, join(folder, 'Compare.java')],
    file: ['Compare.java', JAVA],
  },
  {
    ecosystem: 'npm',
    need: "npm's semver",
    program: process.execPath,
    parameters: () => ['-e', NODE],
    // It rejects other than three numbers, leading zeros, and numbers beyond 2^53 - 1.
    ignores: /^(?!\d+\.\d+\.\d+(?:[-+]|$))|(?:^|[.-])0\d|\d{16}/,
  },
]

type Parse = (text: string) => unknown

/** Nine of ten versions are valid by `parse`. Half of the pairs share their beginning. */
function pairsOf({ ecosystem, ignores }: Oracle, parse: Parse): [string, string][] {
  const text = versionText(ecosystem).filter((version) => ignores?.test(version) !== true)
  const valid = text.filter((version) => parse(version) !== null)
  const mostlyValid = fc.oneof({ weight: 9, arbitrary: valid }, { weight: 1, arbitrary: text })
  const pair = fc.tuple(mostlyValid, mostlyValid, fc.boolean(), fc.nat({ max: 6 }))
  return fc.sample(pair, { numRuns: PAIRS, seed: SEED }).map(([a, b, isClose, at]) => {
    const close = a.slice(0, at) + b.slice(at)
    return isClose && parse(close) !== null && ignores?.test(close) !== true ? [a, close] : [a, b]
  })
}

/** Returns the suite of one implementation; it is skipped where that is not installed. */
function suiteOf(oracle: Oracle) {
  const { ecosystem, need, program, parameters, file, isText = false } = oracle
  const suite = suiteNeeding(`${ecosystem} and ${need}${isText ? ', unnormalized' : ''}`, need)

  const order = comparatorOf(ecosystem)!
  const parse = (isText ? undefined : order.parseStrict) ?? order.parse

  suite(`${PAIRS} random pairs have the same order`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'vulnshelf-versions-'))
    try {
      if (file) writeFileSync(join(folder, file[0]), file[1])
      const pairs = pairsOf(oracle, parse)
      const { stdout, stderr, status } = spawnSync(program, parameters(folder), {
        input: pairs.map((pair) => `${pair.join('\t')}\n`).join(''),
        encoding: 'utf8',
        timeout: TIMEOUT_MS,
        maxBuffer: 64 << 20,
        cwd: join(import.meta.dirname, '../../../..'),
      })
      assert.is(status, 0, stderr)
      const answers = stdout.trimEnd().split('\n')
      assert.is(answers.length, pairs.length)
      const differences: string[] = []
      let compared = 0
      for (const [i, [a, b]] of pairs.entries()) {
        if (answers[i] === '?') continue
        compared++
        const [x, y] = [parse(a), parse(b)]
        const found = x === null || y === null ? 'rejected' : Math.sign(order.compare(x, y))
        if (found !== Math.sign(Number(answers[i]))) differences.push(`${a} and ${b}: ${found}, expected ${answers[i]}`)
      }
      console.log(
        `# ${ecosystem}, ${need}: ${compared} of ${pairs.length} pairs compared, ${differences.length} differ`,
      )
      assert.equal(differences.slice(0, 10), [])
      assert.ok(compared > PAIRS / 2, `only ${compared} pairs are valid`)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  return suite
}

function run(): void {
  for (const oracle of ORACLES) suiteOf(oracle).run()
}

run()
