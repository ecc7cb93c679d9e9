/** Composer's own judgement of versions, from PHP's `composer/semver`. */
import { spawnSync } from 'node:child_process'

const PHP = `
require "Composer/Semver/autoload.php";
$parser = new Composer\\Semver\\VersionParser;
$constraints = [];
while (($line = fgets(STDIN)) !== false) {
  [$constraint, $version] = json_decode($line);
  $constraints[$constraint] ??= $parser->parseConstraints($constraint);
  try {
    $own = new Composer\\Semver\\Constraint\\Constraint("=", $parser->normalize($version));
    echo $constraints[$constraint]->matches($own) ? "1" : "0", "\\n";
  } catch (UnexpectedValueException $error) {
    echo "?\\n";
  }
}
`

const TIMEOUT_MS = 300_000

/**
 * Returns whether each version matches its constraint, as in `composer audit`; null if Composer rejects the version.
 * @throws Error if Composer rejects a constraint
 */
export function composerMatches(
  pairs: readonly (readonly [constraint: string, version: string])[],
): (boolean | null)[] {
  const input = pairs.map((pair) => JSON.stringify(pair)).join('\n')
  const { stdout, stderr, status, error } = spawnSync('php', ['-r', PHP], {
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: TIMEOUT_MS,
  })
  if (error) throw error
  if (status !== 0) throw new Error(stderr || stdout.slice(-2000))
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => (line === '?' ? null : line === '1'))
}
