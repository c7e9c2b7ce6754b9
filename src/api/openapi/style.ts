import { Markup } from '../html.ts'

/** The page's look, in the light and in the dark. */
export const STYLE = new Markup(`
:root {
  color-scheme: light dark;
  --ink: light-dark(#1b2430, #dfe5ec);
  --soft: light-dark(#5b6876, #93a0ae);
  --paper: light-dark(#fbfaf7, #11161c);
  --card: light-dark(#ffffff, #181f27);
  --line: light-dark(#e4e0d8, #2a343f);
  --rail: light-dark(#00796b, #4fd1b8);
}
* { box-sizing: border-box }
html { scroll-behavior: smooth; scroll-padding-top: 1rem }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); background: var(--paper);
  color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
a { color: var(--rail); text-decoration-thickness: 1px; text-underline-offset: 2px }
code, pre { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: .875em }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1.25rem;
  border-right: 1px solid var(--line); font-size: .875rem }
nav .brand { font-weight: 700; font-size: 1.25rem; letter-spacing: -.01em; text-decoration: none }
nav h2 { margin: 1.5rem 0 .25rem; font-size: .75rem; text-transform: uppercase; letter-spacing: .08em; color: var(--soft) }
nav ul { list-style: none; margin: 0; padding: 0 }
nav li a { display: block; padding: .2rem 0; color: inherit; text-decoration: none }
nav li a:hover { color: var(--rail) }
main { max-width: 60rem; padding: 2.5rem clamp(1rem, 4vw, 3.5rem) 6rem }
h1 { margin: 0; font-size: 2.25rem; letter-spacing: -.02em }
.lead { font-size: 1.125rem; color: var(--soft) }
.group { margin: 3rem 0 1rem; font-size: 1.5rem; text-transform: capitalize }
article { margin: 0 0 1.25rem; padding: 1.25rem 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem }
article:target { border-color: var(--rail) }
article h3 { margin: 0 0 .5rem; font-size: 1.0625rem; overflow-wrap: anywhere }
h4 { margin: 1.25rem 0 .25rem; font-size: .9375rem }
h4 small { font-weight: 400; color: var(--soft) }
.method { display: inline-block; margin-right: .6rem; padding: 0 .45rem; border-radius: .3rem; font-size: .6875rem;
  line-height: 1.5rem; letter-spacing: .04em; text-transform: uppercase; color: #fff; background: #47586b }
nav .method { min-width: 3.1rem; margin-right: .5rem; line-height: 1.1rem; text-align: center; font-size: .625rem }
.get { background: #1f6feb } .post { background: #1a7f4b } .put, .patch { background: #9a6700 } .delete { background: #c0392b }
table { width: 100%; border-collapse: collapse; font-size: .875rem }
caption { padding: .75rem 0 .25rem; text-align: left; font-weight: 600 }
th, td { padding: .4rem .75rem .4rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: anywhere }
th { width: 30%; font-weight: 400 } .type { width: 30%; color: var(--soft) }
th em { margin-left: .5rem; font-size: .75rem; font-style: normal; color: var(--rail) }
.refusal { margin: .35rem 0 0; font-size: .875rem; color: var(--soft) } .refusal b { color: var(--ink) }
details { margin: .5rem 0 } summary { cursor: pointer; font-size: .875rem; color: var(--rail) }
pre { overflow-x: auto; margin: .5rem 0 0; padding: 1rem; border-radius: .5rem; background: var(--paper); border: 1px solid var(--line) }
@media (max-width: 50rem) { body { display: block } nav { position: static; height: auto; border: 0; border-bottom: 1px solid var(--line) } }
`)
