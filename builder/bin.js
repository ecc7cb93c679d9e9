#!/usr/bin/env node
/** The command as npm installs it. Checks the Node version before it loads TypeScript, which an old Node cannot. */
import '../corpus/command/node-version.js'

await import('./cli.ts')
