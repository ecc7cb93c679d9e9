/** The sections of the page of a CVE, and the menu that leads to them. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { formatCount } from '../../parts/format.ts'
import { useOrigin } from '../../parts/origin.tsx'
import { link } from '../../router.ts'
import { ORIGINS } from './origin.ts'

/** In the order of the page. Each has a text in `origin.ts`. */
export const SECTIONS = {
  guidance: 'Guidance',
  affected: 'Affected products',
  kev: 'KEV and deadline',
  evidence: 'Evidence',
  exploits: 'Exploit modules',
  cvss: 'CVSS',
  epss_history: 'EPSS history',
  references: 'References',
  advisory: 'Advisory',
  analysis: 'Analysis',
  reports: 'Reports',
  timeline: 'Timeline',
} as const

export type SectionName = keyof typeof SECTIONS

interface SectionProps {
  name: SectionName
  count?: number | undefined
  children: ComponentChildren
}

export function Section({ name, count, children }: SectionProps) {
  const origin = useOrigin(SECTIONS[name], ORIGINS[name])
  return (
    <section id={elementId(name)} aria-labelledby={`${elementId(name)}-title`}>
      <div class="titled">
        <h2 id={`${elementId(name)}-title`} tabIndex={-1}>
          {SECTIONS[name]} {count === undefined ? null : <span class="dim">{formatCount(count)}</span>}
        </h2>
        {origin.button}
      </div>
      {origin.text}
      {children}
    </section>
  )
}

const elementId = (name: string) => `section-${name}`

/** Scrolls to a section, and moves the focus to its heading. */
export function showSection(name: string): void {
  const section = document.getElementById(elementId(name))
  section?.scrollIntoView()
  section?.querySelector('h2')?.focus({ preventScroll: true })
}

/** Shows the section that the address names, once it exists. */
export function useSection(query: URLSearchParams, isThere: boolean): void {
  const name = query.get('section')
  useEffect(() => {
    if (name !== null && isThere) showSection(name)
  }, [name, isThere])
}

interface MenuProps {
  id: string
  counts: ReadonlyMap<SectionName, number | undefined>
}

/** Links to the sections with content. */
export function SectionMenu({ id, counts }: MenuProps) {
  return (
    <nav class="sections" aria-label="Sections">
      <ul>
        {[...counts].map(([name, count]) => (
          <li key={name}>
            {/* A link to the present address changes nothing, but the section may be out of sight. */}
            <a href={link(['cves', id], { section: name })} onClick={() => showSection(name)}>
              {SECTIONS[name]} {count === undefined ? null : <span class="dim">{formatCount(count)}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
