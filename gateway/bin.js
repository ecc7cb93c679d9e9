#!/usr/bin/env node
/** The command as npm installs it: tells which Node it needs before it loads TypeScript, which an old Node cannot. */
import '../corpus/command/node-version.js'

await import('./process/cli.ts')
