/** The values of a chart as a table, rendered when the user opens it. */
import { useState } from 'preact/hooks'

export interface Column<Row> {
  label: string
  value(row: Row): string
}

interface ChartTableProps<Row> {
  caption: string
  /** The heading of the first column, which names the rows. */
  head: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  nameOf(row: Row): string
  linkOf?(row: Row): string
}

export function ChartTable<Row>({ caption, head, columns, rows, nameOf, linkOf }: ChartTableProps<Row>) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        Values<span class="for-reader"> of “{caption}”</span>
      </summary>
      {isOpen ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it.
        <section class="scroll values" tabIndex={0} aria-label={`Values of “${caption}”`}>
          <table>
            <thead>
              <tr>
                <th scope="col">{head}</th>
                {columns.map(({ label }) => (
                  <th key={label} scope="col" class="number">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={nameOf(row)}>
                  <th scope="row">{linkOf ? <a href={linkOf(row)}>{nameOf(row)}</a> : nameOf(row)}</th>
                  {columns.map(({ label, value }) => (
                    <td key={label} class="number">
                      {value(row)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ) : null}
    </details>
  )
}
