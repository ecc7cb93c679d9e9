/**
 * A typical SQLite schema for the same endpoints: a narrow table for filter and sort columns, and tables for the JSON
 * of rows and sections. There is an index for each order, and one for each order below each equality filter. Every
 * index covers all filters, so a list reads one index and then its rows. Packages have one row each, with the JSON of
 * their advisories.
 */

/** `severity` as a number. */
export const SEVERITY_CODES = { none: 0, low: 1, medium: 2, high: 3, critical: 4 } as const

export const SORT_COLUMNS = { published: 'published', updated: 'updated', cvss: 'cvss', epss: 'epss' } as const

const FILTERED = 'severity, kev, has_exploit, has_patch, has_detection, assigner, cwe, published, updated, cvss, epss'

/**
 * The sections of a detail, each a column. Long ones come last, so that frequently requested columns do not follow
 * pages of rarely requested ones.
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
 * `n` numbers the CVEs in the order of their ids and breaks ties. `cve` is WITHOUT ROWID, so that `n` is an ordinary
 * column and can be in the middle of an index. `(cvss, n) < (?, ?)` is then one range of it.
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
  CREATE TABLE package (ecosystem TEXT, name TEXT, json TEXT NOT NULL, PRIMARY KEY (ecosystem, name)) WITHOUT ROWID;
  CREATE TABLE alias (id TEXT PRIMARY KEY, ids TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE release (snapshot TEXT NOT NULL);
  CREATE TABLE text (n INTEGER PRIMARY KEY, id TEXT NOT NULL, title TEXT NOT NULL);
  CREATE VIRTUAL TABLE search USING fts5 (
    id, title, content='text', content_rowid='n', tokenize='trigram case_sensitive 1', columnsize=0
  );
`

/** The conditions that have their own index in every order. */
const NARROWED: { name: string; by?: string; where?: string }[] = [
  { name: 'all' },
  { name: 'severity', by: 'severity' },
  { name: 'assigner', by: 'assigner' },
  { name: 'cwe', by: 'cwe' },
  // Few rows match: a partial index is small, and a scan without it would be long.
  { name: 'kev', where: 'kev = 1' },
  { name: 'exploit', where: 'has_exploit = 1' },
  { name: 'detection', where: 'has_detection = 1' },
]

/** Created after all rows are inserted: then each index is one sort. */
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
