#!/usr/bin/env node
/** The command as npm installs it: tells which Node it needs before it loads TypeScript, which an old Node cannot. */
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import '../corpus/command/node-version.js'

// Saves CPU time of a start (test/bench/README.md, "Choices"). A folder that cannot be written is no error.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/vulnshelf', import.meta.url)))

await import('./process/cli.ts')
