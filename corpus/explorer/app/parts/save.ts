/** Lets the browser save a file. */
export function saveFile(blob: Blob, name: string): void {
  const anchor = document.createElement('a')
  anchor.href = URL.createObjectURL(blob)
  anchor.download = name
  anchor.click()
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000)
}
