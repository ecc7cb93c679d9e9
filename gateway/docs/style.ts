/** Style of the reference. */

export const STYLE = `
:root {
  --page: #fff; --panel: #f6f7f9; --text: #1c2330; --quiet: #5d6778; --line: #e1e5eb; --link: #1657c4;
  --code: #f0f2f6; --get: #12704a; --good: #12704a; --same: #5d6778; --bad: #b3401f; --fault: #9c1c3f;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif;
  --mono: ui-monospace, 'SF Mono', 'Cascadia Code', 'Roboto Mono', Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161d; --panel: #191f29; --text: #dfe4ec; --quiet: #98a3b5; --line: #2b3442; --link: #82b1ff;
    --code: #212936; --get: #5fd3a1; --good: #5fd3a1; --same: #98a3b5; --bad: #f0a080; --fault: #f492ab;
  }
}
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body { margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr); background: var(--page);
  color: var(--text); font: 1rem/1.6 var(--sans) }
a { color: var(--link); text-decoration: none }
a:hover, a:focus-visible { text-decoration: underline }
code { font: .875em/1.5 var(--mono); overflow-wrap: anywhere }
p code, li code, td code { padding: .1em .3em; border-radius: .25rem; background: var(--code) }
.skip { position: absolute; left: -100vw }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--page); border: 1px solid var(--line) }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem 3rem 1.5rem;
  background: var(--panel); border-right: 1px solid var(--line); font-size: .875rem }
nav p { margin: 1.25rem 0 .25rem; font-weight: 600 }
nav p a, nav li a { color: inherit }
nav .title { margin: 0 0 1.5rem; font-size: 1.25rem }
nav ul { margin: 0; padding: 0; list-style: none }
nav li a { display: block; padding: .1rem .5rem; border-radius: .25rem; color: var(--quiet) }
nav li a:hover, nav li a:focus-visible { background: var(--code); color: var(--text); text-decoration: none }
nav summary { margin: 1.25rem 0 .25rem; font-weight: 600; cursor: pointer }
small { color: var(--quiet); font-weight: 400 }
main { max-width: 64rem; padding: 2rem clamp(1rem, 4vw, 3.5rem) 6rem }
h1 { margin: 0; font-size: 2.25rem; line-height: 1.2 }
h2 { margin: 4rem 0 .5rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 1.6rem }
h3 { margin: 0; font-size: 1.05rem; font-weight: 600 }
h3 a { color: inherit }
h4 { margin: 1.5rem 0 .25rem; color: var(--quiet); font-size: .8rem; letter-spacing: .05em; text-transform: uppercase }
.lead { margin: .5rem 0 2rem; color: var(--quiet); font-size: 1.15rem }
#introduction p, #introduction ul { max-width: 46rem }
.operation, .schema { margin: 2rem 0; padding: 1.25rem 1.5rem; border: 1px solid var(--line); border-radius: .6rem }
.operation:target, .schema:target { border-color: var(--link); box-shadow: 0 0 0 1px var(--link) }
.operation h3 code { font-size: 1rem }
.operation h3 i { color: var(--quiet) }
.summary { margin: .25rem 0 0 }
.method { margin-right: .4rem; padding: .15rem .5rem; border: 1px solid currentColor; border-radius: .3rem;
  color: var(--get); font: 700 .75rem var(--mono); vertical-align: .1em }
table { display: block; width: 100%; overflow-x: auto; border-collapse: collapse; font-size: .9rem }
tbody, thead { width: 100% }
th { color: var(--quiet); font-weight: 600; text-align: left }
th, td { padding: .4rem 1rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
tr:last-child td { border-bottom: 0 }
td:last-child { width: 100%; padding-right: 0 }
td:first-child { white-space: nowrap }
td:nth-child(2) { min-width: 7rem }
td em { color: var(--quiet); font-size: .8rem }
td small { display: block; font-size: .8rem }
td small code { white-space: nowrap }
.status { font: 600 .85rem var(--mono); color: var(--bad) }
.s2 { color: var(--good) }
.s3 { color: var(--same) }
.s5 { color: var(--fault) }
pre { margin: 1.25rem 0 0; padding: .75rem 1rem; border-radius: .4rem; background: var(--panel); overflow-x: auto }
pre code { white-space: pre; overflow-wrap: normal }
@media (max-width: 60rem) {
  body { display: block }
  nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line) }
}
@media print {
  body { display: block }
  nav { display: none }
  .operation, .schema { break-inside: avoid }
}
`
