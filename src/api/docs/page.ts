import { createHash } from 'node:crypto'
import { html, type Markup } from './html.ts'
import { DOCS_STYLE, TRILHO_LOGO } from './style.ts'

/** One page of the documentation: what it is called, what is told beside it, and what it says. */
export type DocumentationPage = {
  /** Below `/docs`; empty for the reference itself. */
  name: string
  title: string
  contents: Markup
  main: Markup
}
export type PageLink = Pick<DocumentationPage, 'name' | 'title'>

/** A page between its neighbours: one file, no script, nothing fetched from anywhere. */
export function renderDocumentationPage(
  { name, title, contents, main }: DocumentationPage,
  neighbours: PageLink[],
): string {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Trilho</title>
<style>${DOCS_STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<nav aria-label="Documentation">
<a class="brand" href="/docs/readme">${TRILHO_LOGO}Trilho</a>
<details>
<summary>Contents</summary>
<ul class="pages">${neighbours.map(one => renderPageLink(one, name))}</ul>
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

function renderPageLink({ name, title }: PageLink, current: string): Markup {
  const path = name === '' ? '/docs' : `/docs/${name}`
  return html`<li><a href="${path}"${name === current && html` aria-current="page"`}>${title}</a></li>`
}

const STYLE_HASH = createHash('sha256').update(DOCS_STYLE.text).digest('base64')

/** What a browser may do with a page: show it in its one style, and nothing else. */
export const DOCS_CONTENT_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'`
