/** `#/watch`: the watch list of this browser, as a list to edit and as a file to share. */
import { useState } from 'preact/hooks'
import { Combobox, type Suggestion } from '../parts/combobox.tsx'
import { formatCount } from '../parts/format.ts'
import { Heading } from '../parts/heading.tsx'
import { saveFile } from '../parts/save.ts'
import { InSteps } from '../parts/steps.tsx'
import { link } from '../router.ts'
import {
  KIND_WORDS,
  KINDS,
  pathOf,
  type WatchEntry,
  type WatchKind,
  WatchNameError,
  watchEntry,
} from '../watch/entries.ts'
import {
  decodeWatchFile,
  encodeWatchFile,
  MOST_BYTES,
  MOST_ENTRIES,
  WATCH_FILE,
  WatchFileError,
} from '../watch/file.ts'
import { clearWatchList, unwatch, watch } from '../watch/store.ts'
import { useWatchList } from '../watch/use-watch-list.ts'

export default function WatchPage() {
  const { entries, damage, isStored } = useWatchList()
  return (
    <>
      <Heading>Watch list</Heading>
      <p class="about">
        Vendors, products, packages and CVEs that concern you. The <a href={link([])}>start page</a> and{' '}
        <a href={link(['changes'], { watched: true })}>Changes</a> show what is new about them. The list stays in this
        browser: no server gets it, except as filters of requests for its pages.
      </p>
      {damage === null ? null : (
        <div class="notice failure" role="alert">
          <p>The watch list of this browser cannot be read: {damage}. Pages act as if it were empty.</p>
          <button type="button" onClick={clearWatchList}>
            Begin a new list
          </button>
        </div>
      )}
      {isStored ? null : (
        <p class="notice" role="alert">
          This browser does not store the list: its storage is blocked or full. The list is lost when you reload or
          close the page. Save it as a file.
        </p>
      )}
      <AddForm />
      <ShareForm entries={entries} />
      {entries.length === 0 ? (
        <p>The list is empty. Add a name above, choose “Watch” on the page of a vendor, or import a file.</p>
      ) : (
        KINDS.map((kind) => <Group key={kind} kind={kind} entries={entries.filter((one) => one.kind === kind)} />)
      )}
    </>
  )
}

const FIRST = 100

function Group({ kind, entries }: { kind: WatchKind; entries: readonly WatchEntry[] }) {
  if (entries.length === 0) return null
  const sorted = entries.toSorted((a, b) => a.name.localeCompare(b.name))
  return (
    <section aria-labelledby={`watched-${kind}`}>
      <h2 id={`watched-${kind}`}>
        {KIND_WORDS[kind].many} <span class="dim">{formatCount(entries.length)}</span>
      </h2>
      <InSteps items={sorted} first={FIRST} noun="entries">
        {(shown) => (
          <ul class="watched">
            {shown.map((entry) => (
              <li key={entry.name}>
                <a href={link(pathOf(entry))} class={kind === 'cve' ? 'id' : undefined}>
                  {entry.name}
                </a>
                <button type="button" class="plain" aria-label={`Remove ${entry.name}`} onClick={() => unwatch(entry)}>
                  Remove
                </button>
              </li>
            ))}
          </ul>
        )}
      </InSteps>
    </section>
  )
}

/** Adds a name, with suggestions from the snapshot. */
function AddForm() {
  const [kind, setKind] = useState<WatchKind>('vendor')
  const [text, setText] = useState('')
  const [message, setMessage] = useState<{ text: string; isFault: boolean }>({ text: '', isFault: false })
  const add = (name: string) => {
    if (name === '') return
    // The field is emptied only by another value.
    setText(name)
    try {
      const entry = watchEntry(kind, name)
      const fault = watch([entry])
      if (fault === null) setText('')
      setMessage({ text: fault ?? `${entry.name} is on the list.`, isFault: fault !== null })
    } catch (error) {
      if (!(error instanceof WatchNameError)) throw error
      setMessage({ text: `“${name.slice(0, 60)}” is not added: ${error.message}.`, isFault: true })
    }
  }
  const { one, example } = KIND_WORDS[kind]
  return (
    <section class="add" aria-label="Add an entry">
      <label>
        Kind
        <select
          value={kind}
          onChange={({ currentTarget }) => {
            setKind(KINDS.find((other) => other === currentTarget.value) ?? 'vendor')
            setMessage({ text: '', isFault: false })
          }}
        >
          {KINDS.map((other) => (
            <option key={other} value={other}>
              {KIND_WORDS[other].one}
            </option>
          ))}
        </select>
      </label>
      <Combobox
        label={`Add a ${one}`}
        value={text}
        types={[kind]}
        placeholder={example}
        errorId={message.isFault ? 'watch-message' : null}
        onPick={(suggestion) => add(nameOf(kind, suggestion))}
        onEnter={(typed, by) => (by === 'enter' ? add(typed) : setText(typed))}
      />
      <button type="button" onClick={() => add(text)}>
        Add
      </button>
      <p id="watch-message" class={message.isFault ? 'wrong' : 'dim'} role="status">
        {message.text}
      </p>
    </section>
  )
}

/** The name of a suggestion, from its address in the API (API 26.15). */
function nameOf(kind: WatchKind, { id, href }: Suggestion): string {
  const parts = href.split('/').slice(1).map(decodeURIComponent)
  if (kind === 'product') return [parts[1]!, parts[3]!].map((key) => key.replaceAll('/', '%2F')).join('/')
  if (kind === 'package') return `${parts[1]}/${parts[2]}`
  return kind === 'vendor' ? parts[1]! : id
}

/** Saves the list as a file, and reads one. */
function ShareForm({ entries }: { entries: readonly WatchEntry[] }) {
  const [message, setMessage] = useState<{ text: string; isFault: boolean }>({ text: '', isFault: false })
  const read = async (file: File | undefined) => {
    if (!file) return
    try {
      if (file.size > MOST_BYTES)
        throw new WatchFileError(`it has more than ${MOST_BYTES >> 10} KiB, the limit of a watch list`)
      const found = decodeWatchFile(await file.text())
      const fault = watch(found)
      setMessage({
        text:
          fault ??
          `${file.name} has ${formatCount(found.length)} ${found.length === 1 ? 'entry' : 'entries'}, now on the list.`,
        isFault: fault !== null,
      })
    } catch (error) {
      const reason = error instanceof WatchFileError ? error.message : 'the browser cannot read it'
      setMessage({ text: `${file.name} is not imported: ${reason}.`, isFault: true })
    }
  }
  return (
    <section class="share" aria-label="File">
      <button
        type="button"
        disabled={entries.length === 0}
        onClick={() => saveFile(new Blob([encodeWatchFile(entries)], { type: 'application/json' }), WATCH_FILE)}
      >
        Save as a file
      </button>
      <label class="button">
        Import a file
        <input
          class="for-reader"
          type="file"
          accept=".json,application/json"
          onChange={({ currentTarget }) => {
            read(currentTarget.files?.[0])
            // The same file can be chosen again.
            currentTarget.value = ''
          }}
        />
      </label>
      <span class="dim">
        {formatCount(entries.length)} of at most {formatCount(MOST_ENTRIES)} entries
      </span>
      <p class={message.isFault ? 'wrong' : 'dim'} role={message.isFault ? 'alert' : 'status'}>
        {message.text}
      </p>
    </section>
  )
}
