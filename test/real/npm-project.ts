/** The dependencies of a real project on npm, many of them vulnerable, and of one without vulnerable packages. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { madeOnce } from '../support/made-once.ts'
import {
  CLIENTS,
  type ClientName,
  type Dependency,
  installClients,
  LOCKS,
  lockProject,
} from '../support/npm-clients.ts'

/** Each is affected by at least one advisory of the export. */
export const VULNERABLE: Dependency[] = [
  ['@xmldom/xmldom', '0.8.2'],
  ['ansi-regex', '5.0.0'],
  ['axios', '0.21.1'],
  ['bootstrap', '3.3.7'],
  ['dompurify', '2.2.0'],
  ['elliptic', '6.5.3'],
  ['express', '4.17.1'],
  ['follow-redirects', '1.14.7'],
  ['handlebars', '4.7.6'],
  ['jsonwebtoken', '8.5.1'],
  ['lodash', '4.17.15'],
  ['node-forge', '1.2.1'],
  ['postcss', '8.2.0'],
  ['sanitize-html', '2.3.1'],
  ['semver', '7.3.7'],
  ['socket.io-parser', '4.2.2'],
  ['tar', '6.1.0'],
  ['tough-cookie', '4.0.0'],
  ['undici', '5.5.0'],
  ['ws', '7.4.5'],
]

/** A second version under an alias, and packages with hundreds of dependencies, some of them vulnerable. */
const OTHERS: Dependency[] = [
  ['lodash', '3.10.1'],
  ['chalk', '4.1.2'],
  ['eslint', '8.57.1'],
  ['fastify', '5.2.1'],
  ['gulp', '4.0.2'],
  ['mocha', '10.8.2'],
  ['request', '2.88.2'],
  ['webpack', '5.97.1'],
  ['winston', '3.17.0'],
]

const FINE: Dependency[] = [
  ['chalk', '4.1.2'],
  ['winston', '3.17.0'],
]

interface LockedProject {
  folder: string
  /** The path of its lock file. */
  lock: string
}

/** Returns both projects of each client, with the lock files that it made from the registry. Tests only read them. */
export async function lockedProjects(): Promise<Record<'vulnerable' | 'fine', Record<ClientName, LockedProject>>> {
  const made = await madeOnce('npm-projects', async (folder) => {
    const clients = await installClients(folder)
    await Promise.all(
      CLIENTS.map(async (name) => {
        // One after the other: the second uses the caches of the first.
        await lockProject(clients[name], join(folder, 'vulnerable', name), [...VULNERABLE, ...OTHERS])
        await lockProject(clients[name], join(folder, 'fine', name), FINE)
      }),
    )
    rmSync(join(folder, 'home'), { recursive: true })
  })
  const projects = (kind: string) =>
    Object.fromEntries(
      CLIENTS.map((name) => {
        const folder = join(made, kind, name)
        return [name, { folder, lock: join(folder, LOCKS[name].file) }]
      }),
    ) as Record<ClientName, LockedProject>
  return { vulnerable: projects('vulnerable'), fine: projects('fine') }
}
