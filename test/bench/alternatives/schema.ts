/**
 * The database that somebody would make for the same endpoints with SQLite: a narrow table for what is filtered and
 * sorted by, the JSON of rows and sections in tables of their own, an index for each order, and one for each order below
 * what filters by equality. Every index covers all filters, so that a list is read from one index and then its rows.
 */

/** `severity` as a number. */
export const SEVERITY_CODES = { none: 0, low: 1, medium: 2, high: 3, critical: 4 } as const

/** The column that each sort goes by. */
export const SORT_COLUMNS = { published: 'published', updated: 'updated', cvss: 'cvss', epss: 'epss' } as const

/** What lists filter by. */
const FILTERED = 'severity, kev, has_exploit, has_patch, has_detection, assigner, cwe, published, updated, cvss, epss'

/**
 * The sections of a detail, each a column; the long ones last, so that what is mostly asked for does not lie behind
 * pages of what is not.
 */
export const SECTION_COLUMNS = [
  'cvss',
  'analysis',
  'exploits',
  'evidence',
  'timeline',
  'references',
  'affected',
] as const
export type SectionColumn = (typeof SECTION_COLUMNS)[number]

/**
 * `n` numbers the CVEs in the order of their ids, which is what ties are broken by. `cve` is WITHOUT ROWID so that `n`
 * is a column like others, which an index can have in its middle: `(cvss, n) < (?, ?)` is then one range of it.
 */
export const TABLES = `
  CREATE TABLE cve (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL, severity INTEGER, kev INTEGER NOT NULL, has_exploit INTEGER NOT NULL,
    has_patch INTEGER NOT NULL, has_detection INTEGER NOT NULL, assigner INTEGER, cwe INTEGER,
    published INTEGER, updated INTEGER, cvss REAL, epss REAL
  ) WITHOUT ROWID;
  CREATE TABLE assigner (assigner INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
  CREATE TABLE summary (n INTEGER PRIMARY KEY, json TEXT NOT NULL);
  CREATE TABLE detail (
    n INTEGER PRIMARY KEY, epss_detail TEXT NOT NULL,
    ${SECTION_COLUMNS.map((name) => `"${name}" TEXT NOT NULL`).join(', ')}
  );
  CREATE TABLE release (snapshot TEXT NOT NULL);
  CREATE TABLE text (n INTEGER PRIMARY KEY, id TEXT NOT NULL, title TEXT NOT NULL);
  CREATE VIRTUAL TABLE search USING fts5 (
    id, title, content='text', content_rowid='n', tokenize='trigram case_sensitive 1', columnsize=0
  );
`

/** What an order is narrowed to, each with an index of its own in every order. */
const NARROWED: { name: string; by?: string; where?: string }[] = [
  { name: 'all' },
  { name: 'severity', by: 'severity' },
  { name: 'assigner', by: 'assigner' },
  { name: 'cwe', by: 'cwe' },
  // Few rows have these: an index of those alone is small, and a scan of everything else would be long.
  { name: 'kev', where: 'kev = 1' },
  { name: 'exploit', where: 'has_exploit = 1' },
  { name: 'detection', where: 'has_detection = 1' },
]

/** Made when all rows are there: then each is one sort. */
export const INDEXES: string[] = [
  'CREATE UNIQUE INDEX cve_id ON cve (id)',
  ...NARROWED.flatMap(({ name, by, where }) =>
    Object.values(SORT_COLUMNS).map((column) => {
      const keys = [...(by ? [by] : []), column, 'n']
      const rest = FILTERED.split(', ').filter((one) => !keys.includes(one))
      return `CREATE INDEX ${name}_by_${column} ON cve (${[...keys, ...rest].join(', ')})${where ? ` WHERE ${where}` : ''}`
    }),
  ),
  "INSERT INTO search (search) VALUES ('rebuild')",
  "INSERT INTO search (search) VALUES ('optimize')",
  'ANALYZE',
]
