/** Writes the CWE catalog as zipped XML: one edition for all nights. */
import { DAY_MS, dateOf, FIRST_NIGHT } from '../calendar.ts'
import { CATEGORIES, COMPLETE_WEAKNESS, type Pattern, VIEWS, type Weakness } from '../catalogs.ts'
import { finalOutput, type SampleFeed } from '../outputs.ts'
import { Random } from '../random.ts'
import { filled, weaknessPhrase } from '../text.ts'
import type { World } from '../world.ts'
import { pack, zipWriter } from '../zip.ts'

export const RELEASED_AT = FIRST_NIGHT - 40 * DAY_MS
export const FIRST_ENTRY = Date.UTC(2006, 6, 19)

/** Returns up to five dates of an entry's history, ascending. The latest one dates the entry. */
export function historyOf(random: Random): string[] {
  const span = Math.floor((RELEASED_AT - FIRST_ENTRY) / DAY_MS)
  const days = Array.from({ length: random.between(1, 5) }, () => random.int(span)).sort((a, b) => a - b)
  return days.map((day) => dateOf(FIRST_ENTRY + day * DAY_MS))
}

/** `share of the entries: template` of the parts of an entry, in upstream's order. */
const PARTS = `
0.7: <Extended_Description>{outcome}<xhtml:ul><xhtml:li>{fix}</xhtml:li></xhtml:ul></Extended_Description>
1: {related}
0.75: <Applicable_Platforms><Language Name="C" Prevalence="Often"/><Operating_System Class="Not OS-Specific" Prevalence="Rarely"/>
<Architecture Name="x86" Prevalence="Rarely"/><Technology Class="Web Based" Prevalence="Undetermined"/></Applicable_Platforms>
0.08: <Background_Details><Background_Detail><xhtml:p>{outcome}</xhtml:p><xhtml:p>{cause}</xhtml:p></Background_Detail></Background_Details>
0.35: <Alternate_Terms><Alternate_Term><Term>{name} (Short)</Term><Description>{outcome}</Description></Alternate_Term></Alternate_Terms>
0.85: <Modes_Of_Introduction><Introduction><Phase>{phase}</Phase></Introduction>
<Introduction><Phase>{phase}</Phase><Note>{outcome}</Note></Introduction></Modes_Of_Introduction>
0.3: <Likelihood_Of_Exploit>{level}</Likelihood_Of_Exploit>
0.9: <Common_Consequences><Consequence><Scope>{scope}</Scope><Scope>{scope}</Scope><Impact>{impact}</Impact><Note>{outcome}</Note></Consequence>
<Consequence><Scope>{scope}</Scope><Impact>{impact}</Impact><Impact>{impact}</Impact></Consequence></Common_Consequences>
0.35: <Detection_Methods><Detection_Method><Method>{method}</Method><Description><xhtml:p>{outcome}</xhtml:p><xhtml:p>{outcome}</xhtml:p>
</Description><Effectiveness>{level}</Effectiveness><Effectiveness_Notes>{outcome}</Effectiveness_Notes></Detection_Method></Detection_Methods>
0.75: <Potential_Mitigations><Mitigation><Phase>{phase}</Phase><Phase>{phase}</Phase><Strategy>Input Validation</Strategy>
<Description>{workaround}</Description><Effectiveness>{level}</Effectiveness><Effectiveness_Notes>{outcome}</Effectiveness_Notes></Mitigation>
<Mitigation><Phase>{phase}</Phase><Description><xhtml:p>{workaround}</xhtml:p>
<xhtml:ul><xhtml:li>{fix}</xhtml:li><xhtml:li>{fix}</xhtml:li></xhtml:ul></Description></Mitigation></Potential_Mitigations>
0.6: <Demonstrative_Examples><Demonstrative_Example><Intro_Text>{outcome}</Intro_Text><Example_Code Nature="Bad" Language="C">
<xhtml:div>{parameter} = read();<xhtml:br/>if (true) {<xhtml:div style="margin-left:1em;">use({parameter});</xhtml:div>}</xhtml:div>
</Example_Code><Body_Text>It fails {cause}.</Body_Text><Example_Code Nature="Good"><xhtml:div>if (size &lt; 64 &amp;&amp; value) use(value);
</xhtml:div></Example_Code><Body_Text>{outcome}</Body_Text></Demonstrative_Example></Demonstrative_Examples>
0.6: <Observed_Examples><Observed_Example><Reference>CVE-2019-{int4}</Reference><Description>{name} {cause}.</Description>
<Link>https://records.example.org/CVE-2019-{int4}</Link></Observed_Example></Observed_Examples>
0.6: <Taxonomy_Mappings><Taxonomy_Mapping Taxonomy_Name="Seven Seas"><Entry_ID>A{int4}</Entry_ID><Entry_Name>{name}</Entry_Name>
<Mapping_Fit>Exact</Mapping_Fit></Taxonomy_Mapping><Taxonomy_Mapping Taxonomy_Name="Harbour List"><Entry_Name>{name}</Entry_Name>
</Taxonomy_Mapping></Taxonomy_Mappings>
1: {patterns}`
  .trim()
  .split(/\n(?=\d)/)
  .map((part) => [Number(part.split(':')[0]), part.slice(part.indexOf(':') + 2)] as const)

export const cwe: SampleFeed = (world, folder) => {
  const name = 'cwec_v4.20.xml'
  const path = `cwe/${name}.zip`
  const write = async () => {
    const zip = zipWriter(await folder.create(path), new Date(RELEASED_AT))
    await zip.add(name, pack(Buffer.from(catalogOf(world))))
    return [{ path, records: world.catalogs.weaknesses.length, bytes: await zip.end() }]
  }
  return [finalOutput(write)]
}

/** Returns an element with its children, or nothing without any: upstream has no empty groups. */
const group = (name: string, children: readonly string[]) =>
  children.length > 0 ? `<${name}>\n${children.join('\n')}\n</${name}>` : ''

function catalogOf({ seed, catalogs: { weaknesses, patterns } }: World): string {
  const members = (name: string, entries: readonly Weakness[]) =>
    group(
      name,
      entries.map(({ number }) => `<Has_Member CWE_ID="${number}" View_ID="1000"/>`),
    )
  const inner = (number: number, text: string, reason: string) =>
    text + mappingNotes('Prohibited', reason) + contentHistory(new Random(seed, 'cwe', number))
  const categories = CATEGORIES.map((number) => {
    const own = weaknesses.filter((one) => one.number > number).slice(0, 4)
    const text = `<Summary>Weaknesses of category ${number}.</Summary>${members('Relationships', own)}`
    const head = `ID="${number}" Name="${weaknessPhrase(number).name}" Status="Draft"`
    return `<Category ${head}>${inner(number, text, 'Category')}</Category>`
  })
  const pillars = weaknesses.filter(({ abstraction }) => abstraction === 'Pillar')
  const views = VIEWS.map((number) => {
    const text = `<Objective>It shows all weaknesses.</Objective>${members('Members', pillars)}`
    return `<View ID="${number}" Name="View ${number}" Type="Graph" Status="Draft">${inner(number, text, 'View')}</View>`
  })
  const entries = weaknesses.map((one) => weaknessEntry(one, patterns, new Random(seed, 'cwe', one.number)))
  return `<?xml version="1.0" encoding="UTF-8"?><Weakness_Catalog Name="CWE" Version="4.20" Date="${dateOf(RELEASED_AT)}"
 xmlns="http://cwe.mitre.org/cwe-7" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${group('Weaknesses', entries)}\n${group('Categories', categories)}\n${group('Views', views)}\n</Weakness_Catalog>\n`
}

function weaknessEntry(weakness: Weakness, patterns: readonly Pattern[], random: Random): string {
  const { number, abstraction, structure, retired, relations } = weakness
  const { name, effect } = weaknessPhrase(number)
  const status = retired ?? random.pick(['Draft', 'Draft', 'Draft', 'Incomplete', 'Incomplete', 'Stable'])
  const title = `${retired ? 'DEPRECATED: ' : ''}${name}`
  const head = `ID="${number}" Name="${title}" Abstraction="${abstraction}" Structure="${structure}" Status="${status}"`
  const description = retired ? 'This entry is no longer in use.' : `It allows an attacker to ${effect}.`
  // The relation to the parent is repeated for each view. Only that of view 1000 is served (rule 27).
  const related = relations.flatMap(({ nature, to }) =>
    (nature === 'ChildOf' ? [1000, 1003] : [1000]).map((view) => {
      const ordinal = nature === 'ChildOf' ? ' Ordinal="Primary"' : ''
      return `<Related_Weakness Nature="${nature}" CWE_ID="${to}" View_ID="${view}"${ordinal}/>`
    }),
  )
  const exploiting = patterns.filter((pattern) => pattern.weaknesses.includes(number))
  const attacks = exploiting.map((one) => `<Related_Attack_Pattern CAPEC_ID="${one.number}"/>`)
  const groups = { related: group('Related_Weaknesses', related), patterns: group('Related_Attack_Patterns', attacks) }
  const parts = PARTS.flatMap(([share, template]) => {
    const has = random.chance(share) || number === COMPLETE_WEAKNESS
    return has && !retired ? [filled(template, random, { name, ...groups })] : []
  })
  const usage = retired ? 'Prohibited' : abstraction === 'Pillar' ? 'Discouraged' : 'Allowed'
  const end = [mappingNotes(usage, retired ? 'Deprecated' : 'Acceptable-Use'), contentHistory(random)]
  return `<Weakness ${head}>\n${[`<Description>${description}</Description>`, ...parts, ...end].join('\n')}\n</Weakness>`
}

function mappingNotes(usage: string, reason: string): string {
  return `<Mapping_Notes><Usage>${usage}</Usage><Reasons><Reason Type="${reason}"/></Reasons></Mapping_Notes>`
}

function contentHistory(random: Random): string {
  const entries = historyOf(random).map((date, i) => {
    const kind = i === 0 ? 'Submission' : 'Modification'
    return `<${kind}><${kind}_Name>Sample Works</${kind}_Name><${kind}_Date>${date}</${kind}_Date></${kind}>`
  })
  return group('Content_History', entries)
}
