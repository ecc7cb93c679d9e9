/** Takes a file: by choice, by drag and drop, or as text. */
import { useState } from 'preact/hooks'
import { SAMPLE_NAME, sample } from './sample.ts'

export interface Chosen {
  /** Empty for a text. */
  name: string
  bytes: Uint8Array<ArrayBuffer>
}

/** A tab has the file in memory several times. */
const MOST_BYTES = 64 << 20

export function DropZone({ take, fail }: { take(chosen: Chosen): void; fail(message: string): void }) {
  const [isOver, setOver] = useState(false)
  const read = async (file: File | undefined) => {
    if (!file) return
    if (file.size > MOST_BYTES) {
      fail(
        `${file.name} is larger than ${MOST_BYTES >> 20} MiB, the limit of this page. Use the command \`vulnshelf check\` instead.`,
      )
      return
    }
    try {
      take({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })
    } catch {
      fail(`Cannot read ${file.name}. Choose a file, not a folder.`)
    }
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
        read(event.dataTransfer?.files[0])
      }}
    >
      <label>
        Lock file or SBOM
        <input
          type="file"
          onChange={({ currentTarget }) => {
            read(currentTarget.files?.[0])
            // The same file can be chosen again.
            currentTarget.value = ''
          }}
        />
      </label>
      <p class="dim">Choose a file, or drop it here.</p>
      <Paste take={take} />
      <button
        type="button"
        class="plain"
        onClick={() => take({ name: SAMPLE_NAME, bytes: new TextEncoder().encode(sample()) })}
      >
        Try it with a sample file
      </button>
    </section>
  )
}

function Paste({ take }: { take(chosen: Chosen): void }) {
  const [text, setText] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    take({ name: '', bytes: new TextEncoder().encode(text) })
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
