/** A small lock file to try the page with. Of its packages, `vulnshelf sample` has advisories of `lantern-http` only. */
export const SAMPLE_NAME = 'package-lock.json'

const entry = (version: string, dev = false) => ({ version, ...(dev ? { dev } : {}) })

export const sample = (): string =>
  JSON.stringify(
    {
      name: 'sample',
      version: '1.0.0',
      lockfileVersion: 3,
      packages: {
        '': { name: 'sample', version: '1.0.0' },
        'node_modules/@xmldom/xmldom': entry('0.8.2'),
        'node_modules/axios': entry('0.21.0'),
        'node_modules/express': entry('4.17.1'),
        'node_modules/lantern-http': entry('1.2.3'),
        'node_modules/lodash': entry('4.17.10'),
        'node_modules/minimatch': entry('3.0.4', true),
        'node_modules/node-fetch': entry('2.6.0'),
        'node_modules/undici': entry('5.28.0', true),
        'node_modules/ws': entry('8.13.0'),
        'packages/own': { version: '1.0.0' },
      },
    },
    null,
    2,
  )
