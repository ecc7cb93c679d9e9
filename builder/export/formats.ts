/** The formats of `vulnshelf export`. */
export const EXPORT_FORMATS = ['parquet', 'ndjson', 'csv'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]
