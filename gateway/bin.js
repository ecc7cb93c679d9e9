#!/usr/bin/env node
/**
 * The command as npm installs it. Checks the Node version before it loads the program: TypeScript in a checkout, its
 * compiled form in the package.
 */
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import '../corpus/command/node-version.js'

// Saves CPU time of a start (test/bench/README.md, "Choices"). A folder that cannot be written is no error.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/vulnshelf', import.meta.url)))

const source = new URL('./process/cli.ts', import.meta.url)
await import(existsSync(source) ? source.href : '../lib/gateway/process/cli.js')
