/** Evidence of exploitation, detection and mitigation, and the exploit modules. */
import type { CveDetail, ExploitModule } from '../../data/answers.ts'
import { sourceName } from '../../parts/sources.ts'
import { useSteps } from '../../parts/steps.tsx'
import { Day, ExternalLink } from '../../parts/values.tsx'
import { link } from '../../router.ts'

type Item = NonNullable<CveDetail['evidence']>[number]

const FIRST = 10

const TYPES = [
  ['exploitation', 'Exploitation'],
  ['mitigation', 'Mitigation'],
  ['detection', 'Detection'],
] as const

const WHAT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    kev_listed: 'listed in KEV',
    ssvc_active: 'active exploitation (SSVC)',
    weaponized_exploit: 'weaponized exploit',
    poc_public: 'public proof of concept',
    detection_template: 'detection template',
    fixed_version: 'fixed version',
    fix_commit: 'fix commit',
  }),
)

/** The ranks in words (rule 23). */
const MATURITY: Readonly<Record<number, string>> = {
  80: 'exploited in the wild',
  60: 'weaponized',
  40: 'proof of concept',
}

export function Evidence({ items }: { items: readonly Item[] }) {
  return (
    <>
      {TYPES.map(([type, title]) => {
        const members = items.filter((item) => item.type === type)
        return members.length === 0 ? null : <Group key={type} title={title} items={members} />
      })}
    </>
  )
}

function Group({ title, items }: { title: string; items: readonly Item[] }) {
  const { shown, button } = useSteps(items, FIRST, 'items')
  const hasMaturity = items.some(({ maturity_rank }) => maturity_rank !== null)
  const hasDate = items.some(({ first_seen }) => first_seen !== null)
  return (
    <>
      <h3>
        {title} <span class="dim">{items.length}</span>
      </h3>
      <div class="scroll">
        <table class="cards evidence">
          <caption class="for-reader">Evidence: {title}</caption>
          <thead>
            <tr>
              <th scope="col">Evidence</th>
              <th scope="col">Source</th>
              {hasMaturity ? <th scope="col">Maturity</th> : null}
              <th scope="col">Confidence</th>
              {hasDate ? <th scope="col">First seen</th> : null}
              <th scope="col">Details</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((item, index) => (
              <tr key={index}>
                <th scope="row">{WHAT.get(item.evidence_type) ?? item.evidence_type.replaceAll('_', ' ')}</th>
                <td>{sourceName(item.source)}</td>
                {hasMaturity ? (
                  <td>{item.maturity_rank === null ? null : (MATURITY[item.maturity_rank] ?? item.maturity_rank)}</td>
                ) : null}
                <td data-label="Confidence">{item.confidence}</td>
                {hasDate ? (
                  <td data-label="First seen">{item.first_seen === null ? null : <Day at={item.first_seen} />}</td>
                ) : null}
                <td class="wide">
                  <What item={item} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {button}
    </>
  )
}

function What({ item }: { item: Item }) {
  const product = [item.ecosystem, item.product].filter((part) => part !== null).join(' ')
  const version = item.evidence_type === 'fixed_version' ? <b>{item.fixed_version}</b> : item.fixed_version
  const fix =
    product === '' && item.fixed_version === null ? null : (
      <>
        {product} {version}
      </>
    )
  const text = item.explanation ?? fix
  return (
    <>
      {item.evidence_url === null ? (
        text
      ) : (
        <ExternalLink url={item.evidence_url}>{text ?? item.evidence_url}</ExternalLink>
      )}
      {item.explanation !== null && fix !== null ? <span class="dim"> {fix}</span> : null}
    </>
  )
}

export function Exploits({ modules }: { modules: readonly ExploitModule[] }) {
  const { shown, button } = useSteps(modules, FIRST, 'modules')
  return (
    <>
      <div class="scroll">
        <table class="cards">
          <caption class="for-reader">Exploit modules</caption>
          <thead>
            <tr>
              <th scope="col">Module</th>
              <th scope="col">Source</th>
              <th scope="col">Type</th>
              <th scope="col">Platforms</th>
              <th scope="col">Rank</th>
              <th scope="col">Published</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((module) => (
              <tr key={`${module.source} ${module.source_id}`}>
                <th scope="row" class="wide">
                  <a href={link(['exploits', module.source, module.source_id])}>{module.name ?? module.source_id}</a>
                  {module.name === null ? null : <code class="dim"> {module.source_id}</code>}
                </th>
                <td>{sourceName(module.source)}</td>
                <td>{module.module_type}</td>
                <td>{module.platform?.join(', ')}</td>
                <td>{module.exploit_rank ?? (module.verified ? 'verified' : null)}</td>
                <td>
                  <Day at={module.date_published} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {button}
    </>
  )
}
