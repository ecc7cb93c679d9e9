/** The interfaces that `--compat` selects. */
import { GatewayError } from '../http/errors.ts'
import { composerInterface } from './composer.ts'
import { epssInterface } from './epss.ts'
import type { CompatInterface } from './interface.ts'
import { mcpInterface } from './mcp.ts'
import { type NpmOptions, npmInterface } from './npm.ts'
import { osvInterface } from './osv.ts'

export interface InterfaceOptions extends NpmOptions {
  /** Names of interfaces. */
  compat: readonly string[]
}

const OPENERS: ReadonlyMap<string, (options: InterfaceOptions) => CompatInterface> = new Map([
  ['composer', composerInterface],
  ['osv', osvInterface],
  ['epss', epssInterface],
  ['mcp', mcpInterface],
  // npm's paths begin with the name of a package, so they come last.
  ['npm', npmInterface],
])

/** @throws GatewayError for an unknown name or an invalid option of an interface */
export function openInterfaces(options: InterfaceOptions): CompatInterface[] {
  const { compat, npmUpstream } = options
  const unknown = compat.find((name) => !OPENERS.has(name))
  if (unknown !== undefined || compat.length === 0) {
    throw new GatewayError(
      'bad_option',
      `unknown interface '${unknown ?? ''}' in --compat; use ${[...OPENERS.keys()].join(', ')}`,
    )
  }
  if (npmUpstream !== undefined && !compat.includes('npm')) {
    throw new GatewayError('bad_option', '--npm-upstream requires the interface npm in --compat')
  }
  return [...OPENERS].flatMap(([name, open]) => (compat.includes(name) ? [open(options)] : []))
}
