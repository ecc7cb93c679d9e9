#!/usr/bin/env node
/**
 * The command as npm installs it. Checks the Node version before it loads the program: TypeScript in a checkout, its
 * compiled form in the package.
 */
import { existsSync } from 'node:fs'
import '../corpus/command/node-version.js'

const source = new URL('./cli.ts', import.meta.url)
await import(existsSync(source) ? source.href : '../lib/builder/cli.js')
