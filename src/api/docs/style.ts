import { Markup } from './html.ts'

/** Style sheet of the documentation pages: light and dark, desktop and phone. */
export const DOCS_STYLE = new Markup(`
:root {
  color-scheme: light dark;
  --ink: light-dark(#1b2430, #dfe5ec);
  --soft: light-dark(#56636f, #9aa7b5);
  --paper: light-dark(#fbfaf7, #11161c);
  --card: light-dark(#ffffff, #181f27);
  --line: light-dark(#e4e0d8, #2a343f);
  --rail: light-dark(#00695c, #4fd1b8);
  --mark: light-dark(#e6f2f0, #17302d);
  --code: light-dark(#f3f1ea, #1c242d);
}
* { box-sizing: border-box }
html { scroll-padding-top: 1.5rem }
body { margin: 0; display: grid; grid-template-columns: 17.5rem minmax(0, 1fr); background: var(--paper);
  color: var(--ink); font: 16px/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif }
a { color: var(--rail); text-decoration-thickness: 1px; text-underline-offset: 2px }
:focus-visible { outline: 2px solid var(--rail); outline-offset: 2px; border-radius: .2rem }
code, pre { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: .875em }
:not(pre) > code { padding: .1em .3em; border-radius: .3em; background: var(--code); overflow-wrap: anywhere }
.skip { position: absolute; left: 1rem; top: -5rem; z-index: 3; padding: .5rem 1rem; border-radius: .5rem; background: var(--card) }
.skip:focus { top: 1rem }

nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1.25rem 3rem;
  background: var(--card); border-right: 1px solid var(--line); font-size: .875rem; line-height: 1.4 }
.brand { display: flex; gap: .6rem; align-items: center; font-weight: 700; font-size: 1.25rem; letter-spacing: -.02em;
  color: var(--ink); text-decoration: none }
.brand svg { width: 1.75rem; height: 1.75rem; flex: none }
nav summary { display: none }
nav details::details-content { content-visibility: visible; block-size: auto }
@supports not selector(::details-content) { nav summary { display: revert } }
nav h2 { margin: 1.5rem 0 .35rem; font-size: .75rem; text-transform: uppercase; letter-spacing: .08em; color: var(--soft) }
nav ul { list-style: none; margin: 0; padding: 0 }
nav .pages { margin-top: 1.25rem; padding-bottom: 1rem; border-bottom: 1px solid var(--line) }
nav li a { display: block; margin: 0 -.6rem; padding: .25rem .6rem; border-radius: .4rem; color: inherit; text-decoration: none }
nav li a:hover { background: var(--code); color: var(--rail) }
nav a[aria-current] { background: var(--mark); color: var(--rail); font-weight: 600 }
nav .sub a { padding-left: 1.35rem; color: var(--soft) }
nav .call { display: flex; gap: .5rem; align-items: baseline }

main { max-width: 62rem; padding: 3rem clamp(1rem, 4vw, 4rem) 6rem }
.text { max-width: 50rem }
h1 { margin: 0 0 1rem; font-size: clamp(1.75rem, 5vw, 2.5rem); line-height: 1.15; letter-spacing: -.025em }
h2 { margin: 3rem 0 .75rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.015em }
h3 { margin: 2rem 0 .5rem; font-size: 1.125rem; line-height: 1.35 }
h4 { margin: 1.25rem 0 .25rem; font-size: .9375rem }
h4 small { font-weight: 400; color: var(--soft) }
p, ul, ol { margin: .75rem 0 }
li { margin: .25rem 0 }
.lead { font-size: 1.125rem; color: var(--soft) }
blockquote { margin: 1.25rem 0; padding: .25rem 1.25rem; border-left: 4px solid var(--rail); background: var(--mark);
  border-radius: 0 .5rem .5rem 0 }
img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: .6rem }
pre { overflow-x: auto; margin: 1rem 0; padding: 1rem 1.15rem; border-radius: .6rem; line-height: 1.5; tab-size: 4;
  background: var(--code); border: 1px solid var(--line) }
pre.said { margin-top: -.5rem; border-style: dashed; background: transparent; color: var(--soft) }

.wide { overflow-x: auto; margin: 1rem 0 }
table { width: 100%; border-collapse: collapse; font-size: .875rem; line-height: 1.5 }
caption { padding: .75rem 0 .25rem; text-align: left; font-weight: 600 }
th, td { padding: .5rem 1rem .5rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top }
thead th { border-top: 0; font-size: .75rem; letter-spacing: .04em; text-transform: uppercase; color: var(--soft) }
thead code { text-transform: none }
td code { overflow-wrap: normal } .text td:first-child code { white-space: nowrap }

article { margin: 0 0 1.25rem; padding: 1.5rem clamp(1rem, 3vw, 1.75rem); background: var(--card); border: 1px solid var(--line); border-radius: .75rem }
tr:target { background: var(--mark) }
article:target { border-color: var(--rail); box-shadow: 0 0 0 1px var(--rail) }
article h3 { margin: 0 0 .35rem }
article .call { margin: 0 0 .75rem; overflow-wrap: anywhere }
article th { width: 32%; font-weight: 400; overflow-wrap: anywhere } article .type { width: 28%; color: var(--soft); overflow-wrap: anywhere }
article td { overflow-wrap: anywhere }
th em { margin-left: .5rem; white-space: nowrap; font-size: .75rem; font-style: normal; color: var(--rail) }
.method { display: inline-block; flex: none; margin-right: .5rem; padding: 0 .45rem; border-radius: .3rem; font-size: .6875rem;
  line-height: 1.5rem; letter-spacing: .04em; text-transform: uppercase; color: #fff; background: #47586b }
nav .method { min-width: 3.4rem; margin: 0; line-height: 1.1rem; text-align: center; font-size: .625rem }
.get { background: #1a5fd0 } .post { background: #16703f } .put, .patch { background: #8a5d00 } .delete { background: #b8352a }
.refusal { margin: .35rem 0 0; font-size: .875rem; color: var(--soft) } .refusal b { color: var(--ink) }
main details { margin: .75rem 0 } main summary { cursor: pointer; font-size: .875rem; color: var(--rail) }

@media (max-width: 50rem) {
  html { scroll-padding-top: 5rem }
  body { display: block }
  nav { position: sticky; z-index: 2; height: auto; max-height: 100vh; padding: .75rem 1rem; border: 0; border-bottom: 1px solid var(--line) }
  .brand { position: absolute; top: .7rem }
  nav summary { display: list-item; width: max-content; margin-left: auto; padding: .3rem .5rem; cursor: pointer; list-style-position: inside; color: var(--rail) }
  nav details:not([open])::details-content { content-visibility: hidden; block-size: 0 }
  main { padding-top: 1.5rem }
  table, tbody, tr, main th, td, article .type { display: block; width: auto }
  main th, td { padding: 0; border: 0 } tr { padding: .6rem 0; border-top: 1px solid var(--line) }
  thead { position: absolute; overflow: hidden; width: 1px; height: 1px; clip-path: inset(50%) }
  .text td:first-child { font-weight: 600 } .text td:first-child code { white-space: normal }
  td code { overflow-wrap: anywhere }
  .text td:nth-child(n + 3)::before { content: attr(data-column) ': '; color: var(--soft) }
}
`)

/** Logo of Trilho. */
export const TRILHO_LOGO = new Markup(
  `<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#00796b"/><path d="M11 6v20M21 6v20" stroke="#fff" stroke-width="3" stroke-linecap="round"/><path d="M8 11h16M8 16h16M8 21h16" stroke="#9be7d8" stroke-width="2.2" stroke-linecap="round"/></svg>`,
)
