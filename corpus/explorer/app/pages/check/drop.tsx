/** Takes files: by choice, by drag and drop, or as text. */
import { useState } from 'preact/hooks'
import type { Chosen } from './run.ts'
import { SAMPLE_NAME, sample } from './sample.ts'

/** Of all files. A tab has each in memory several times. */
const MOST_BYTES = 64 << 20

export function DropZone({ take, fail }: { take(chosen: Chosen[]): void; fail(message: string): void }) {
  const [isOver, setOver] = useState(false)
  const read = async (files: readonly File[]) => {
    if (files.length === 0) return
    if (files.reduce((sum, { size }) => sum + size, 0) > MOST_BYTES) {
      const what = files.length === 1 ? `${files[0]!.name} is` : 'The files together are'
      fail(
        `${what} larger than ${MOST_BYTES >> 20} MiB, the limit of this page. Use the command \`vulnshelf check\` instead.`,
      )
      return
    }
    const chosen: Chosen[] = []
    for (const file of files) {
      try {
        chosen.push({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })
      } catch {
        fail(`Cannot read ${file.name}. Choose files, not folders.`)
        return
      }
    }
    take(chosen)
  }
  return (
    <section
      aria-label="File"
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        read([...(event.dataTransfer?.files ?? [])])
      }}
    >
      <p>
        {/* The text of a plain file input names no file after the check. */}
        <label class="button">
          Choose files
          <input
            class="for-reader"
            type="file"
            multiple
            onChange={({ currentTarget }) => {
              read([...(currentTarget.files ?? [])])
              // The same files can be chosen again.
              currentTarget.value = ''
            }}
          />
        </label>{' '}
        or drop them here.
      </p>
      <p class="dim">
        Lock files and SBOMs. With them or later: decisions in <code>vulnshelf.ignore.json</code>, or VEX documents in
        OpenVEX, CycloneDX or CSAF.
      </p>
      <Paste take={take} />
      <button
        type="button"
        class="plain"
        onClick={() => take([{ name: SAMPLE_NAME, bytes: new TextEncoder().encode(sample()) }])}
      >
        Try it with a sample file
      </button>
    </section>
  )
}

function Paste({ take }: { take(chosen: Chosen[]): void }) {
  const [text, setText] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    take([{ name: '', bytes: new TextEncoder().encode(text) }])
  }
  return (
    <details>
      <summary>Paste the content</summary>
      <form onSubmit={submit}>
        <label>
          Content of the file, or package URLs, one per line
          <textarea
            rows={8}
            required
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <button type="submit">Check</button>
      </form>
    </details>
  )
}
