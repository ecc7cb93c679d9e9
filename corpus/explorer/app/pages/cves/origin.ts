/** The origin of each field of a record: its rule in corpus/model/RULES.md, in a sentence or two. */

export const ORIGINS = {
  title:
    'The title of the CNA, else vendor, product and weakness of the CNA, else the first sentence of the description (rule 19).',
  description:
    'The English description. The CNA precedes other sources. Without an English text, the first one is shown (rule 29).',
  severity:
    'One CVSS metric decides. Sources rank: this service, CNA, ADP, NVD, advisory. Within a source, newer CVSS versions come first, then newer metrics (rule 18).',
  listed: 'The KEV catalog of CISA decides. A copy in the CVE record counts only if the KEV feed is absent (rule 23).',
  kev: 'What each catalog states, unchanged (rule 23). The deadline follows the table of CISA’s BOD 26-04: the listing in KEV, the exposure of the asset, and two points of the SSVC assessment (rule 32).',
  epss: 'FIRST computes it every day. The score is the probability of exploitation within 30 days. The percentile is the share of CVEs with the same or a lower score.',
  epss_history:
    'A point for each edition in which the score or the model differs from the edition before. Editions that the builder did not read are not in it (rule 33).',
  ssvc: 'The newest assessment of an ADP, usually CISA. The decision follows CISA’s coordinator table (rule 20).',
  patch:
    'Known if a source states a fixed version or a fix commit, or tags a reference as a patch. “None known” does not mean that there is none (rule 22).',
  workaround: 'Known if the CNA states a workaround, or a reference has the tag “mitigation” (rule 22).',
  exploit: 'Known if there is any evidence of exploitation, from a public proof of concept to a KEV listing (rule 22).',
  nvd: 'The status of NVD’s own record (rule 31). “Deferred” means that NVD does not plan to analyze it.',
  detection: 'Known if there is content that detects it, such as a scanner template (rule 22).',
  weakness:
    'The first weakness of the CNA, else of an ADP, else of NVD. Entries of the CWE catalog come before categories (rule 21).',
  assigner: 'The CNA that assigned the id, as the CVE record states it.',
  credits: 'Finders and reporters that a container of the CVE record names, else all of its credits (rule 31).',
  published: 'The date of publication in the CVE record (rule 29).',
  updated: 'The last update of the CVE record itself. Other feeds do not change it (rule 29).',
  cvss: 'The metrics of all sources, as they state them, in order of precedence. A score is not corrected if it contradicts its vector (rule 18).',
  guidance:
    'What the containers of the CVE record advise. Each source is by itself, and its English texts are shown (rule 31).',
  affected: 'Each entry is the claim of one source. Claims are converted to ranges, but never merged (rule 24).',
  references: 'Each URL is listed once, with all sources that cite it and all of their tags (rule 30).',
  evidence:
    'Each item is the claim of one source. A fixed table gives each type its order, maturity and confidence (rule 23).',
  exploits: 'Modules of Exploit-DB and Metasploit that name the CVE. The code of an exploit is never served (rule 27).',
  timeline:
    'Each ingest compares a record with its previous version. Entries of the first version have the dates that the feeds state (rule 26).',
  advisory:
    'If several GitHub advisories name the CVE, those not withdrawn come first, then reviewed ones, then the earliest published. The first one is shown (rule 29).',
  analysis: 'An analysis of the operator of this service. No public feed contains it.',
  reports: 'Reports of the operator of this service, written by AI models. The latest final one of each type is shown.',
} as const

export type OriginField = keyof typeof ORIGINS
