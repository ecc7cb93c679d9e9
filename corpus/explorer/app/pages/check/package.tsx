/** A package in a table of the check page. */
import type { ComponentChildren } from 'preact'
import { linePosition } from '../../../../inventory/decisions/words.ts'
import type { LocatedComponent } from '../../../../inventory/findings.ts'
import { isForDevelopment } from '../../../../inventory/inventory.ts'
import { formatCount } from '../../parts/format.ts'
import { packagePath } from '../../parts/names.ts'
import { link } from '../../router.ts'

/** Rows of a table that are shown at first. A file can have many thousand. */
export const FIRST_ROWS = 500

/** Files of a package that are shown. */
const FIRST_PLACES = 3

/** The package with its version, then `children`; below them its files and lines, and whether only development needs it. */
export function PackageName({
  component,
  places,
  children,
}: {
  component: LocatedComponent
  places: readonly Pick<LocatedComponent, 'file' | 'line'>[]
  children?: ComponentChildren
}) {
  const { ecosystem, name, version } = component
  const more = places.length - FIRST_PLACES
  const parts = [
    ecosystem,
    ...places.slice(0, FIRST_PLACES).map(linePosition),
    ...(more > 0 ? [`${formatCount(more)} more ${more === 1 ? 'file' : 'files'}`] : []),
  ]
  return (
    <>
      <a href={link(packagePath(ecosystem ?? '', name), { version })}>{name}</a> <b>{version}</b> {children}
      <span class="where">
        {parts.join(' · ')}
        {isForDevelopment(component) ? <span class="flag">development</span> : null}
      </span>
    </>
  )
}
