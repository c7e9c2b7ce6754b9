import { createHash } from 'node:crypto'
import { html, type Markup } from '../html.ts'
import { RAIL, STYLE } from './style.ts'

/** One page of the documentation: what it is called, what is told beside it, and what it says. */
export type Page = {
  /** Below `/docs`; empty for the reference itself. */
  name: string
  title: string
  contents: Markup
  main: Markup
}
export type Neighbour = Pick<Page, 'name' | 'title'>

/** A page between its neighbours: one file, no script, nothing fetched from anywhere. */
export function framed({ name, title, contents, main }: Page, neighbours: Neighbour[]): string {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Trilho</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<nav aria-label="Documentation">
<a class="brand" href="/docs/readme">${RAIL}Trilho</a>
<details>
<summary>Contents</summary>
<ul class="pages">${neighbours.map(one => neighbourLine(one, name))}</ul>
${contents}
</details>
</nav>
<main id="content">
${main}
</main>
</body>
</html>
`
  return text
}

function neighbourLine({ name, title }: Neighbour, current: string): Markup {
  const path = name === '' ? '/docs' : `/docs/${name}`
  return html`<li><a href="${path}"${name === current && html` aria-current="page"`}>${title}</a></li>`
}

const STYLE_HASH = createHash('sha256').update(STYLE.text).digest('base64')

/** What a browser may do with a page: show it in its one style, and nothing else. */
export const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'`
