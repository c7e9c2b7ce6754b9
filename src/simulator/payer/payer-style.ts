import { createHash } from 'node:crypto'

/** Style sheet of the payer's bank, light and dark, for phones first. */
export const PAYER_PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1b2430, #e3e8ee);
  --soft: light-dark(#56636f, #9aa7b5);
  --paper: light-dark(#eef3f1, #0f1418);
  --card: light-dark(#ffffff, #182026);
  --line: light-dark(#e2e8e5, #2a343f);
  --bank: #00695c;
  --link: light-dark(#00695c, #4fd1b8);
  --bad: light-dark(#a8281c, #f3a199);
  --bad-paper: light-dark(#fce8e5, #3a1a17);
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif }
header { padding: 1.1rem 1rem 4.5rem; background: var(--bank); color: #fff }
header p { display: flex; gap: .6rem; align-items: center; max-width: 28rem; margin: 0 auto; font-weight: 650; letter-spacing: -.01em }
header small { margin-left: auto; padding: .1rem .6rem; border: 1px solid rgb(255 255 255 / .6); border-radius: 1rem; font-weight: 400; letter-spacing: 0 }
header svg { width: 1.6rem; height: 1.6rem; flex: none; fill: none; stroke: #fff; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round }
main { max-width: 28rem; margin: -3.25rem auto 2rem; padding: 1.75rem 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem; box-shadow: 0 .5rem 2rem rgb(0 0 0 / .07) }
@media (max-width: 31rem) { main { margin: -3.25rem .75rem 2rem } }
h1 { margin: 0 0 .25rem; font-size: 1.25rem; line-height: 1.3; letter-spacing: -.015em }
.value { margin: .25rem 0 1.25rem; font-size: 2.5rem; font-weight: 700; line-height: 1.2; letter-spacing: -.03em; font-variant-numeric: tabular-nums }
dl { margin: 0 0 1.5rem }
dl div { display: flex; gap: 1rem; justify-content: space-between; padding: .6rem 0; border-top: 1px solid var(--line) }
dt { flex: none; color: var(--soft) }
dd { margin: 0; text-align: right; overflow-wrap: anywhere }
.code { font: .8125rem/1.6 ui-monospace, 'SF Mono', Menlo, Consolas, monospace }
label { display: block; margin-bottom: .35rem; color: var(--soft) }
textarea { width: 100%; padding: .75rem; border: 1px solid var(--soft); border-radius: .6rem; background: transparent; color: inherit; font: .875rem/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, monospace; resize: vertical }
button { width: 100%; padding: .85rem 1.2rem; border: 0; border-radius: .6rem; background: var(--bank); color: #fff; font: inherit; font-weight: 650; cursor: pointer }
button:hover { background: #00574c }
form p { margin: 0 0 1rem } form p:last-child { margin: 0 }
a { color: var(--link) }
:focus-visible { outline: 3px solid #f0b429; outline-offset: 2px }
.done { width: 3.5rem; height: 3.5rem; margin-bottom: .75rem; fill: none; stroke: var(--link); stroke-width: 2; stroke-linecap: round; stroke-linejoin: round }
[role=alert] { margin: .75rem 0 1.25rem; padding: .75rem 1rem; border-radius: .6rem; background: var(--bad-paper); color: var(--bad) }
ul { margin: .75rem 0 0; padding: 0; list-style: none } li { border-top: 1px solid var(--line) } li a { display: block; padding: .7rem 0 }
`

const STYLE_HASH = createHash('sha256').update(PAYER_PAGE_STYLE).digest('base64')

/** Its pages show themselves in their one style and send their own form; nothing else. */
export const PAYER_PAGE_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`
