/**
 * Ends the process if Node is older than package.json requires, because the modules would not load or would crash.
 * Programs import this file first. It is JavaScript because an old Node cannot load TypeScript.
 */
import { existsSync, readFileSync } from 'node:fs'

let root = new URL('../../', import.meta.url)
// The compiled form is a folder deeper in the package.
if (!existsSync(new URL('package.json', root))) root = new URL('../', root)
const { name, engines } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const needed = engines.node.replace('>=', '')
const [neededMajor, neededMinor] = needed.split('.').map(Number)
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
  const install = `install a newer Node from https://nodejs.org`
  const remedy = existsSync(new URL('node_modules/.bin/node', root))
    ? `Run \`npx ${name} …\`, \`npx ${name}-gateway …\` or \`npm start\` in ${name}'s folder, which use the Node in node_modules, or ${install}`
    : install.replace('i', 'I')
  process.stderr.write(`${name} needs Node ${needed} or later; this is Node ${process.versions.node}. ${remedy}.\n`)
  process.exit(1)
}
