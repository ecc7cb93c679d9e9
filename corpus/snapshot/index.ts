/** The public face of the snapshot format: what builder, gateway and reader import. Other files are internal. */
export {
  MAX_CATALOG_PLAIN,
  MAX_GZIP_PLAIN,
  MAX_MANIFEST_BYTES,
  MAX_MEMBER_PLAIN,
  MAX_PACKAGE_BYTES,
  MAX_READ_BYTES,
  MAX_SEGMENT_PLAIN,
  MAX_SHARDS,
} from './bounds.ts'
export { gzipFile, storedLength, writeStoredHeader, writeStoredText } from './codec/deflate.ts'
export { fold } from './codec/fold.ts'
export { gunzipFile, gunzipMember } from './codec/inflate.ts'
export { type LocatedSegment, plainBytes, plainOfMany, type SegmentBytes } from './codec/segment-bytes.ts'
export {
  type FusedPieces,
  type Piece,
  type SplicedSegment,
  spliceGzip,
  splicePlain,
  spliceTag,
} from './codec/splice.ts'
export {
  blockRows,
  blockSpan,
  column,
  decodeBlock,
  decodePart,
  decodeTable,
  locateTable,
  partSpan,
  type Span,
  type Table,
  type TableHeader,
  valuesSpan,
} from './codec/table.ts'
export {
  type CursorBinding,
  CursorError,
  cursorAfter,
  cursorBinding,
  cursorId,
  cursorValue,
  type NamedSnapshot,
  onlySnapshot,
  type RowKey,
  resume,
  SNAPSHOT_PREFIX_LENGTH,
  type Snapshots,
} from './cursor/cursor.ts'
export { LIST_NAMES, LISTS, type ListName, listPagesName, productId, specOf } from './cursor/lists.ts'
export {
  bySort,
  byStoredSort,
  CHANGE_SORTS,
  type ChangeSort,
  type CveSort,
  changeSort,
  compareKeys,
  isStored,
  type SortOrder,
  STORED_SORTS,
  type StoredSort,
} from './cursor/order.ts'
export type * from './data.ts'
export { appendRows, extractAdvisories, extractPackages } from './derive/advisory-extract.ts'
export { type AdvisoryRows, noAdvisories, noPackages, type PackageRows } from './derive/advisory-rows.ts'
export { ALIAS_COLUMNS, aliasesOf, aliasSetIn } from './derive/aliases.ts'
export { type ChangeFacts, factsOfChange, STATE_FIELDS } from './derive/change-facts.ts'
export {
  type BlockChange,
  CHANGED_SECTIONS,
  type ChangedCve,
  changeOf,
  changesBetween,
  changesInBlock,
  firstChangeAfter,
  isChangeKey,
  type RecordChange,
  type SourcedRow,
} from './derive/changes.ts'
export { type Columns, decodeColumns } from './derive/columns.ts'
export { countsOf, ecosystemsOf } from './derive/counts.ts'
export { buffersOf, extractShard, type ShardExtract } from './derive/extract.ts'
export { SSVC_AUTOMATABLE, SSVC_DECISIONS, SSVC_EXPLOITATIONS } from './derive/facets.ts'
export { cweNumber, FLAGS, SEVERITIES } from './derive/facts.ts'
export { decodeHashed, type HashColumns, hashBlock, rowsOfHash } from './derive/hashed-table.ts'
export {
  type BlockColumns,
  type BlockRow,
  blockOf,
  type IndexBlock,
  indexBlocks,
  positionInBlock,
  rowInBlock,
  type SourcedBlock,
  sourcedBlock,
} from './derive/index-block.ts'
export {
  CORE,
  CORE_NUMBERS,
  coreEnd,
  coreSegmentAt,
  decodeIndex,
  findRow,
  type IdColumns,
  type Index,
  idAt,
  type ScoredIds,
  scoredIds,
  scoresIn,
} from './derive/index-table.ts'
export {
  type ListKey,
  listKeyHash,
  listKeyNames,
  listKeysIn,
  type OrdinalRange,
  ordinalsIn,
} from './derive/list-keys.ts'
export { decodeListPostings, forEachFilter, LISTED, type Listed } from './derive/list-postings.ts'
export type { CnaEntryDetail, ExploitEntry } from './derive/list-rows.ts'
export { decodeList, type List, listOf } from './derive/list-view.ts'
export { decodeListTable, type ListTable, pagesAtColumn } from './derive/lists.ts'
export { type PageStarts, pageStartsIn, startOf } from './derive/orders.ts'
export {
  aliasesFile,
  hashedIndexFile,
  hashedPositions,
  type PackageTables,
  POSITION_COLUMNS,
  readPackageTables,
} from './derive/package-tables.ts'
export { pageKey, ROWS_KIND, ROWS_PER_PAGE, ROWS_PER_SEGMENT } from './derive/pages.ts'
export { type NamedPostings, NO_ORDINALS, postingsOf } from './derive/postings.ts'
export { assignerCounts, type Rows, rowCollector } from './derive/rows.ts'
export { SnapshotError } from './error.ts'
export { type About, decodeAbout } from './files/about.ts'
export {
  type Change,
  decodePack,
  encodePack,
  type LocatedShard,
  MAX_NIGHTS,
  type PackedFile,
  rebuilt,
  shardChange,
} from './files/delta.ts'
export { distRefusal } from './files/dist-refusal.ts'
export { decodeEditions, encodeEditions } from './files/epss-editions.ts'
export { readKeySetFile, readSigningKeyFile, readText } from './files/key-files.ts'
export { kindOf } from './files/kinds.ts'
export {
  assertAllYears,
  checkObject,
  describe,
  describePack,
  fileOf,
  LEFT_OUT,
  manifestDigests,
  manifestName,
  manifestPath,
  type OpenObject,
  objectName,
  objectPath,
  openObject,
  POINTER_NAME,
  pointerPath,
  readCurrent,
  readManifest,
  readManifestBytes,
  readObject,
  readPointer,
  readPointerBytes,
  readStored,
  readSubset,
  temporaryFolder,
} from './files/layout.ts'
export {
  byRoleAndName,
  countCves,
  decodeManifest,
  encodeManifest,
  type FileEntry,
  FORMAT,
  type Manifest,
  type Role,
  type Stored,
  snapshotId,
} from './files/manifest.ts'
export { ageFault, decodePointer, encodePointer, MAX_POINTER_BYTES, type Pointer } from './files/pointer.ts'
export { pointerOrder } from './files/pointer-order.ts'
export {
  checkSignatures,
  KeyError,
  makeKeyPair,
  openSigned,
  readTrustedKeys,
  type SignatureVerdict,
  type SigningAlgorithm,
  type SigningKey,
  signersOf,
  signPointer,
  type TrustedKey,
  withKey,
} from './files/signature.ts'
export { decodeStats } from './files/stats.ts'
export {
  decodeSubset,
  encodeSubset,
  isLeftOut,
  leftOutError,
  MAX_SUBSET_BYTES,
  SUBSET_NAME,
  type Subset,
} from './files/subset.ts'
export { BITMAPS_BYTES, RARE_BYTES } from './filter/bounds.ts'
export { type CveFilters, canonicalFilters } from './filter/filters.ts'
export { keyOfName, type ListFilters, listFilters } from './filter/list-filters.ts'
export { listOrderView } from './filter/list-order.ts'
export { intersection, passingPositions, sliceAfter } from './filter/list-search.ts'
export { lowerBound, reversedPosition } from './filter/lower-bound.ts'
export { PRODUCT_FORM, readProduct, readVendor } from './filter/name-filters.ts'
export { isCveKey, type OrderView, orderView } from './filter/order-view.ts'
export { perSnapshot } from './filter/per-snapshot.ts'
export { countPassing, firstPassing } from './filter/search.ts'
export { CRC_BYTES, checkPage } from './query/page-crcs.ts'
export { checkQuerySchema, MAX_PAGE_BYTES } from './query/schema.ts'
export {
  type Hit,
  LOCAL_COSTS,
  type MatchRange,
  openSearches,
  type Search,
  type SearchResult,
  type Statement,
  type StatementRow,
  type TextCounts,
} from './query/search.ts'
export { type SearchAnswer, type SearchItem, type Suggestion, searchAnswer, suggestion } from './query/search-item.ts'
export {
  DEFAULT_SEARCH_TYPES,
  SEARCH_TYPES,
  type SearchedText,
  type SearchType,
  type TextSetName,
} from './query/sets.ts'
export { wordsFault } from './query/tokens.ts'
export {
  type CatalogEntry,
  type CatalogName,
  catalogKey,
  decodeCatalog,
  ENTRY_KIND,
  type EncodedCatalog,
  encodeCatalog,
  type LocatedEntry,
  MAX_ENTRY_BYTES,
} from './record/catalog.ts'
export { CVE_PARTS, encodeCveMember, type LargePart, largeParts, withoutLarge } from './record/cve-member.ts'
export {
  addKevDetail,
  addPart,
  addSections,
  coreSegment,
  DEFAULT_SECTIONS,
  partSegment,
  recordPieces,
  SECTION_NAMES,
  SECTIONS,
  type Section,
  spliced,
} from './record/cve-pieces.ts'
export { type CveTables, decodeCveTables, type IndexedCveTables, joinTables } from './record/cve-tables.ts'
export { encodeEntries, type ShardEntry } from './record/entry-shard.ts'
export {
  type EpssColumns,
  encodeEpss,
  epssAt,
  epssCurrent,
  epssMember,
  fromBillionths,
  NO_EPSS,
  toBillionths,
} from './record/epss.ts'
export { changeAt, decodeEpssChanges, type EpssChanges, rowsByChange } from './record/epss-changes.ts'
export { encodeHistory, type HistorySegment, historyFiles, historyIn } from './record/epss-history.ts'
export { decodeHashedMember } from './record/hashed-member.ts'
export {
  HASHED_KINDS,
  HASHED_ROLES,
  type HashedRole,
  hashedFiles,
  hashedMemberKey,
  hashedShardCount,
  hashedShardName,
  type KeyHash,
  keyHash,
  shardOfHash,
} from './record/hashed-shard.ts'
export { decodeMemberHead, type MemberHead, type ReadMember } from './record/member.ts'
export { decodeRejected, encodeRejected } from './record/rejected.ts'
export { contentDigest, type LocatedMember, membersOf } from './record/shard.ts'
export { addStatement, noStatements, omittedOf } from './verify/statement-sum.ts'
